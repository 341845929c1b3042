export { collectWorkerMetrics, offerMetrics } from './cluster-metrics.ts';
export { type LogBacklog, readLogBacklog, readSchemaVersion } from './cross-org-store.ts';
export { createInstallationMetrics } from './installation-metrics.ts';
export { type ManagementServer, type ManagementServerOptions, startManagementServer } from './management-server.ts';
export { createMetrics, type Metrics, type ProcessGauges } from './metrics.ts';
export { assess, type Check, databaseChecks, type Readiness } from './readiness.ts';
