export { type Connections, connectionsOver, type LogConnection, type PoolLike } from './connections.ts';
export { type LogEvent, LogEventSchema, LogEventsSchema, LogQuerySchema } from './contract.ts';
export type {
  Authentication,
  Json,
  JsonObject,
  NewEvent,
  Outcome,
  OutcomeResult,
  Target,
} from './event.ts';
export { EVENT_TYPES, EVENTS, type EventDefinition, type EventType, eventDefinition, isEventType } from './events.ts';
export { createOutboxRowMaker, createOutboxStatement, type OutboxRowMaker, type OutboxStatement } from './outbox.ts';
export { type LogLink, type LogPage, type LogReader, readLogPage } from './query.ts';
export { LOG_FIELDS } from './query-fields.ts';
export { createRelay, type Relay, type RelayOptions, type RelayReport } from './relay.ts';
export { systemContext } from './system-context.ts';
export { type FaultKind, type VerifyFault, type VerifyOptions, type VerifyReport, verifyOrg } from './verify.ts';
export type { Record, Work } from './work.ts';
