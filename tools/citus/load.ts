import { openConnection, requestBytes } from '../../bench/connection.ts';
import { authorizationOf } from '../../bench/gatehouse.ts';
import { hostnameOf, tokenOf } from '../../bench/orgs-data.ts';
import type { LoadedInstallation } from './installation.ts';

/** A request to an org, by the number of the org. `round` differs for each request to the same org. */
export type Call = (org: number, round: number) => readonly [method: string, path: string, body?: unknown];

export const CALLS = {
  'read a user': () => ['GET', '/api/v1/users/me'],
  'update a user': (org, round) => [
    'POST',
    `/api/v1/users/00ubench${String(org).padStart(12, '0')}`,
    { profile: { nickName: `n${round}` } },
  ],
} as const satisfies Readonly<Record<string, Call>>;

export interface LoadOptions {
  readonly clients: number;
  /** The numbers of the orgs that are called in turn. */
  readonly orgs: readonly number[];
  readonly call: Call;
  /** Whether a client goes on. `sent` is the number of requests that all clients have sent. */
  readonly isWanted: (sent: number) => boolean;
}

export interface LoadOutcome {
  readonly answers: number;
  readonly perSecond: number;
  /** The number of responses with 503 and Retry-After. */
  readonly refusals: number;
  /** The most of them in a row that one client got. */
  readonly refusalsInRow: number;
  readonly slowestMilliseconds: number;
  /** The responses that clients must not get. */
  readonly faults: readonly string[];
}

/** Calls the orgs in turn, over one connection per client. */
export async function runLoad({ ca, node }: LoadedInstallation, options: LoadOptions): Promise<LoadOutcome> {
  const { call, clients, isWanted, orgs } = options;
  const began = performance.now();
  const faults: string[] = [];
  let [sent, refusals, refusalsInRow, slowestMilliseconds] = [0, 0, 0, 0];
  const run = async (index: number): Promise<void> => {
    const connection = await openConnection({ port: node.port, hostname: 'localhost', ca }, index);
    let inRow = 0;
    while (isWanted(sent)) {
      const round = sent++;
      const org = orgs[round % orgs.length] ?? 1;
      const [method, path, body] = call(org, round);
      const target = { port: node.port, hostname: hostnameOf(org), ca };
      const asked = performance.now();
      const answer = await connection.send(requestBytes(target, method, path, authorizationOf(tokenOf(org)), body));
      slowestMilliseconds = Math.max(slowestMilliseconds, performance.now() - asked);
      const isRefused = answer.status === 503 && /\r\nretry-after:/i.test(answer.head);
      inRow = isRefused ? inRow + 1 : 0;
      refusals += isRefused ? 1 : 0;
      refusalsInRow = Math.max(refusalsInRow, inRow);
      if (!isRefused && answer.status !== 200)
        faults.push(`${answer.status} ${method} ${path} ${answer.body.toString('utf8').slice(0, 200)}`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => run(index)));
  const perSecond = (sent * 1_000) / (performance.now() - began);
  return { answers: sent, perSecond, refusals, refusalsInRow, slowestMilliseconds, faults };
}
