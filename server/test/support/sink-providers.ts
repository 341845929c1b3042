import type { SinkProvider, SinkProviders } from '../../src/system-log/index.ts';

const nobody: SinkProvider = { open: () => Promise.resolve(null) };

/** Providers that deliver nothing outside of the service. */
export const closedSinks: SinkProviders = { event_hook: nobody, log_stream: nobody };
