import { beforeTests } from './before-tests.ts';
import { startTestService, type TestOrg, type TestService, type TestServiceOptions } from './service.ts';
import { sharedService } from './shared-service.ts';

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
