import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll } from 'vitest';
import type { TestService } from './service.ts';

/** Published clients use the global `fetch`, so the process must trust the CA and resolve the orgs' names. */
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
