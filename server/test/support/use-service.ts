import { beforeTests } from './before-tests.ts';
import { startTestService, type TestOrg, type TestService, type TestServiceOptions } from './service.ts';

let running: Promise<TestService> | undefined;

/**
 * The service of this worker, with an org for each caller. It is started once and lives as long as the worker, because
 * a service, its database and its cold connections cost more than most files need. Orgs are isolated, so a file may use
 * it if it neither moves the clock far nor depends on anything outside of orgs; other files start their own.
 */
async function sharedService(): Promise<TestService> {
  running ??= startTestService();
  const service = await running;
  const org = await service.newOrg();
  return { ...service, isShared: true, org, close: async () => service.closeClients() };
}

interface Options extends TestServiceOptions {
  /** False if the file moves the clock far, or looks at data outside of orgs. */
  readonly isShared?: false;
}

/**
 * A service for the tests of the file or `describe` that calls it, with a separate org. All files of a worker share one
 * service; with any option, a service is started for these tests only. Options that a hook makes are passed as a
 * function.
 */
export function useService(options?: Options | (() => Options)): {
  readonly service: TestService;
  readonly org: TestOrg;
} {
  const service = beforeTests(() => {
    if (options === undefined) return sharedService();
    return startTestService(typeof options === 'function' ? options() : options);
  });
  return { service, org: beforeTests(() => service.org) };
}
