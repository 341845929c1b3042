export { readAppliedVersions, readLogBacklog } from './cross-org-store.ts';
export { createInstallationMetrics } from './installation-metrics.ts';
export { type ManagementServer, startManagementServer } from './management-server.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { type Check, databaseChecks } from './readiness.ts';
export { readSealingLag, type SealingLag } from './sealing-state.ts';
