import { startTestService, type TestService } from './service.ts';

let running: Promise<TestService> | undefined;

/**
 * The service of this worker, with an org for the caller alone. It is started once and lives as long as the worker,
 * because a service, its database and its cold connections cost more than most files ask of them. Orgs are isolated, so
 * a file may use it that neither moves the clock far nor looks at what belongs to no org; such a file starts its own.
 */
export async function sharedService(): Promise<TestService> {
  running ??= startTestService();
  const service = await running;
  const org = await service.newOrg();
  return { ...service, isShared: true, org, close: async () => service.closeClients() };
}
