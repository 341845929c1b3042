import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll } from 'vitest';
import type { TestService } from './service.ts';

/**
 * Published clients use the global `fetch` and are tested unchanged. During the tests of the caller, this makes the
 * process trust the CA, as NODE_EXTRA_CA_CERTS would in a new process. It also resolves the names of all orgs to this
 * machine.
 */
export function useTrustingFetch(service: Pick<TestService, 'ca'>): void {
  const before = getGlobalDispatcher();
  let agent: Agent | undefined;
  beforeAll(() => {
    agent = new Agent({
      connect: { ca: service.ca, lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) },
    });
    setGlobalDispatcher(agent);
  });
  afterAll(async () => {
    setGlobalDispatcher(before);
    await agent?.close();
  });
}
