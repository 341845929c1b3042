export { createLogTrace, dropOldTraces, type LogTrace } from './access/access-log.ts';
export { systemContext } from './access/system-context.ts';
export { clientOf, createEdgeEvents, type EdgeEvents, type ZonesAtPort } from './edge-events.ts';
export * from './export/index.ts';
export type { Foundation } from './foundation.ts';
export { createInputMaker, createOutboxRowMaker, createOutboxStatement } from './outbox/outbox.ts';
export * from './proof/index.ts';
export { type LogPage, readLogPage } from './query/query.ts';
export { LOG_FIELDS } from './query/query-fields.ts';
export { type Connections, connectionsOver, oneAtATime, type PoolLike } from './relay/connections.ts';
export type { LogSigner } from './relay/log-signer.ts';
export { createRelay, type Relay, type RelayOptions } from './relay/relay.ts';
export type { Record, SharedWork, Work } from './relay/work.ts';
export { renderThreadFile } from './rendering/thread-file.ts';
export { assessReplicas } from './replicas/assess-replicas.ts';
export { type LogReads, ReplicaReads, readsAtPrimary } from './replicas/log-reads.ts';
export type { ReplicaAddress } from './replicas/log-replica.ts';
export { type RetentionReport, runRetention } from './retention/retention.ts';
export { retentionJobs } from './retention/retention-job.ts';
export { packThreadFile } from './sealing/packing/thread-file.ts';
export { sealingJobs } from './sealing/sealing-job.ts';
export * from './sinks/index.ts';
export { type Backpressure, createBackpressure } from './write/backpressure.ts';
export { type Change, changeTarget, toldDocument } from './write/change-details.ts';
export type {
  Authentication,
  Json,
  JsonObject,
  NewEvent,
  Target,
} from './write/event.ts';
export type { CacheName } from './write/event-kinds.ts';
export { EVENT_TYPES, type EventType, eventDefinition, isEventType } from './write/events.ts';
