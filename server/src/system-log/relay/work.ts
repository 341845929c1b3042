import type { RecordEvent, UnitOfWork } from '../../platform/postgres/index.ts';
import type { NewEvent } from '../write/event.ts';

/** The unit of work in which use cases run: one transaction for the change and its events. */
export type Work = UnitOfWork<NewEvent>;

export type Record = RecordEvent<NewEvent>;
