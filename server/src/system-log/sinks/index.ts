export { dropSink, startSink, stopSink } from './change-sink.ts';
export { sinkRoutes } from './routes.ts';
export type {
  DeliveryResult,
  OpenSink,
  SinkBatch,
  SinkEvent,
  SinkKind,
  SinkProvider,
  SinkProviders,
} from './sink.ts';
export { createSinkEngine, type SinkEngineOptions } from './sink-engine.ts';
export { findSinkState, type SinkState } from './store.ts';
