export { createLogTrace, dropOldTraces, type LogTrace } from './access-log.ts';
export { type BacklogBounds, type Backpressure, createBackpressure } from './backpressure.ts';
export { changeTarget, toldDocument } from './change-details.ts';
export { type Connections, connectionsOver, type PoolLike } from './connections.ts';

export type {
  Authentication,
  Json,
  JsonObject,
  NewEvent,
  Target,
} from './event.ts';
export { EVENT_TYPES, type EventType, eventDefinition, isEventType } from './events.ts';
export * from './export/index.ts';
export type { LogSigner } from './log-signer.ts';
export { createOutboxRowMaker, createOutboxStatement } from './outbox.ts';
export * from './proof/index.ts';
export { type LogPage, readLogPage } from './query.ts';
export { LOG_FIELDS } from './query-fields.ts';
export { createRelay, type Relay, type RelayOptions } from './relay.ts';
export { type RetentionReport, retentionJobs, runRetention } from './retention.ts';
export * from './sinks/index.ts';
export { systemContext } from './system-context.ts';
export type { Record, Work } from './work.ts';
