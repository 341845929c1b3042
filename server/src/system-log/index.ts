export { changeTarget, toldDocument } from './change-details.ts';
export { type Connections, connectionsOver, type PoolLike } from './connections.ts';

export type {
  Authentication,
  Json,
  JsonObject,
  NewEvent,
  Target,
} from './event.ts';
export { type EventType, isEventType } from './events.ts';
export { createOutboxRowMaker, createOutboxStatement } from './outbox.ts';
export { type LogPage, readLogPage } from './query.ts';
export { LOG_FIELDS } from './query-fields.ts';
export { createRelay, type Relay, type RelayOptions } from './relay.ts';
export { systemContext } from './system-context.ts';
export { verifyOrg } from './verify.ts';
export type { Record, Work } from './work.ts';
