import type { RecordEvent, SharedWork as SharedWorkOf, UnitOfWork } from '../../platform/postgres/index.ts';
import type { NewEvent } from '../write/event.ts';

/** The unit of work in which use cases run: one transaction for the change and its events. */
export type Work = UnitOfWork<NewEvent>;

/** A unit of work like `Work`, except that simultaneous use cases of an org may share its transaction. */
export type SharedWork = SharedWorkOf<NewEvent>;

export type Record = RecordEvent<NewEvent>;
