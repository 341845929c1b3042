import { Agent, fetch as undiciFetch } from 'undici';
import type { TestService } from './service.ts';

export interface TrustingFetch {
  /** Each library has a type of its own for it. */
  readonly fetch: (input: string | URL | Request, init?: object) => Promise<Response>;
  close(): Promise<void>;
}

/** The fetch of a published client that trusts the CA of a service and nothing else, and finds every org of it. */
export function openTrustingFetch({ ca }: Pick<TestService, 'ca'>): TrustingFetch {
  const agent = new Agent({
    connect: { ca, lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) },
  });
  const request = undiciFetch as (...given: unknown[]) => Promise<Response>;
  return { fetch: (input, init) => request(input, { ...init, dispatcher: agent }), close: () => agent.close() };
}
