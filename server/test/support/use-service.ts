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
  /** False: the file moves the clock far, or looks at what belongs to no org. */
  readonly isShared?: false;
}

/**
 * A service for the tests of the file or `describe` that calls it, with an org for them alone. All files of a worker
 * share one service; with any option it is started for these tests. Options that a hook makes are given by a function.
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
