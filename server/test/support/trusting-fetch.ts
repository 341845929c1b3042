import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import type { TestService } from './service.ts';

/**
 * Published clients ask by the fetch of their process, and stay as they are published: the process is told whom to
 * trust, as NODE_EXTRA_CA_CERTS would tell one of its own, and that each org's name is this machine. Gives back what
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
