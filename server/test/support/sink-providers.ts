import type { SinkProvider, SinkProviders } from '../../src/system-log/index.ts';

const nobody: SinkProvider = { open: () => Promise.resolve(null) };

/** Providers whose sinks are never open, so that nothing is delivered. */
export const closedSinks: SinkProviders = { event_hook: nobody, log_stream: nobody };
