import { startTestService, type TestService } from './service.ts';

let running: Promise<TestService> | undefined;

/**
 * The service of this worker, with an org for each caller. It is started once and lives as long as the worker, because
 * a service, its database and its cold connections cost more than most files need. Orgs are isolated, so a file may use
 * it if it neither moves the clock far nor depends on anything outside of orgs; other files start their own.
 */
export async function sharedService(): Promise<TestService> {
  running ??= startTestService();
  const service = await running;
  const org = await service.newOrg();
  return { ...service, isShared: true, org, close: async () => service.closeClients() };
}
