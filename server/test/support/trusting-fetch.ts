import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import type { TestService } from './service.ts';

/**
 * Published clients use the fetch of their process and stay unchanged. This makes the process trust the CA, as
 * NODE_EXTRA_CA_CERTS would in a new process, and resolve each org's name to this machine. Returns a function that
 * undoes it.
 */
export function letFetchTrust({ ca }: Pick<TestService, 'ca'>): () => Promise<void> {
  const before = getGlobalDispatcher();
  const agent = new Agent({
    connect: { ca, lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) },
  });
  setGlobalDispatcher(agent);
  return async () => {
    setGlobalDispatcher(before);
    await agent.close();
  };
}
