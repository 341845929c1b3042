import type { RecordEvent, UnitOfWork } from '../../platform/postgres/index.ts';
import type { NewEvent } from '../write/event.ts';

/** The unit of work that use cases run in: one transaction for the change and its events. */
export type Work = UnitOfWork<NewEvent>;

/** Collects an event of a unit of work. */
export type Record = RecordEvent<NewEvent>;
