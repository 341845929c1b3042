import { beforeTests } from './before-tests.ts';
import { startTestService, type TestOrg, type TestService, type TestServiceOptions } from './service.ts';

let running: Promise<TestService> | undefined;

/** Starting a service with its database is slow, so the test files of a worker share one. */
async function sharedService(): Promise<TestService> {
  running ??= startTestService();
  const service = await running;
  const org = await service.newOrg();
  return { ...service, isShared: true, org, close: async () => service.closeClients() };
}

interface Options extends TestServiceOptions {
  /**
   * The value false gives the tests a service of their own. Tests need one if they move the clock a long way or depend
   * on data outside of orgs.
   */
  readonly isShared?: false;
}

/**
 * Provides a service and an org. With options, the caller's tests get their own service. Options that depend on an
 * earlier hook must be passed as a function.
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
