import type { RecordEvent, UnitOfWork } from '../../platform/postgres/index.ts';
import type { NewEvent } from '../write/event.ts';

/** The unit of work in which use cases run: one transaction for the change and its events. */
export type Work = UnitOfWork<NewEvent>;

/** Adds an event to a unit of work. */
export type Record = RecordEvent<NewEvent>;
