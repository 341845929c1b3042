import { openConnection } from '../connection.ts';
import { type Contest, duelRow, loopsOf, oneAfterTheOther } from '../duel.ts';
import { assertGood, type Caller, closedLoop, type Load, WarmUp } from '../load.ts';
import { PROVIDER, startProvider } from '../oidc-provider.ts';
import { askPeer } from '../requests.ts';
import { protocolOf, type RowOptions } from '../row.ts';
import { gatehouseSubject, redemption, refreshTokenIn, type Subject, tokenRequest } from '../web-client.ts';
import { transacting } from './callers.ts';

/** The number of codes requested for each second of a round. They must be redeemed before they expire. */
const CODES_PER_SECOND = 250;

/** The first eighth of the codes is the warm-up. */
async function exchange(subject: Subject, { sizes }: RowOptions): Promise<Load> {
  const codes = await subject.codes(CODES_PER_SECOND * sizes.seconds);
  const requests = codes.map((code) => redemption(subject, code));
  const warmup = Math.floor(requests.length / 8);
  let started = performance.now();
  let next = 0;
  const work = async (index: number): Promise<void> => {
    const connection = await openConnection(subject.endpoint, index);
    for (let request = requests[next]; request !== undefined; request = requests[next]) {
      next += 1;
      if (next === warmup) {
        started = performance.now();
        await subject.meter?.start();
      }
      const answer = await connection.send(request);
      assertGood(answer);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: sizes.connections }, (_, index) => work(index)));
  const counted = requests.length - warmup;
  const perSecond = (counted * 1_000) / (performance.now() - started);
  const cpu = await subject.meter?.perRequest(counted);
  return { perSecond, p50: Number.NaN, p99: Number.NaN, ...(cpu === undefined ? {} : { cpu }) };
}

/** Each request contains the last refresh token that its connection received. The first tokens come from codes. */
async function refresh(subject: Subject, warmUp: WarmUp, { sizes }: RowOptions): Promise<Load> {
  const { connections, seconds } = sizes;
  const codes = await subject.codes(connections);
  const first = await openConnection(subject.endpoint, 0);
  const held: string[] = [];
  for (const code of codes) {
    const answer = await first.send(redemption(subject, code));
    assertGood(answer);
    held.push(refreshTokenIn(answer.body));
  }
  first.close();
  const caller = (index: number): Caller => {
    let refreshToken = held[index] ?? '';
    return {
      request: () => tokenRequest(subject, { grant_type: 'refresh_token', refresh_token: refreshToken }),
      answered: ({ body }) => {
        refreshToken = refreshTokenIn(body);
      },
    };
  };
  const { meter } = subject;
  return closedLoop(subject.endpoint, {
    connections,
    seconds,
    warmUp,
    caller,
    ...(meter === undefined ? {} : { meter }),
  });
}

const PARTS = 'two RS256 signatures and a transaction with three 0.5 kB rows';
const BOUND_OF_PARTS = 0.75;
const BOUND_OF_PEER = 1;

/**
 * This row compares the redemption of codes and refresh tokens with the unavoidable parts of that work and with
 * oidc-provider. The contest of the refresh tokens comes first, because it warms up both servers.
 */
export const userTokens = duelRow({
  name: 'user-tokens',
  settings: (options) => `${protocolOf(options)}; oidc-provider over plain HTTP, in memory`,
  prepare: async (arena, options) => {
    const provider = await startProvider(options.node);
    const theirs: Subject = {
      endpoint: provider.endpoint,
      path: '/token',
      client: provider.webClient,
      codes: (count) => provider.codes(count),
    };
    const ours = await gatehouseSubject(arena, options);
    const transaction = loopsOf(arena, options).peer(() => transacting(arena, 'logged-transaction-3'));
    const parts = async (): Promise<Load> => {
      const sign = await askPeer(arena.peer.endpoint, `/signs?seconds=${options.sizes.seconds}`);
      return oneAfterTheOther([sign, sign, await transaction()]);
    };
    const refreshing = (subject: Subject) => {
      const warmUp = new WarmUp(options.sizes.warmUp);
      return () => refresh(subject, warmUp, options);
    };
    const contest = (work: string, measure: (subject: Subject) => () => Promise<Load>): Contest => ({
      work,
      gatehouse: measure(ours),
      besides: [
        { name: PARTS, bound: BOUND_OF_PARTS, measure: parts },
        { name: PROVIDER, bound: BOUND_OF_PEER, measure: measure(theirs) },
      ],
    });
    return {
      contests: [
        contest('a refresh token for the next access, ID and refresh token, rotated, logged', refreshing),
        contest(
          'code exchanged for an access, an ID and a refresh token, logged',
          (subject) => () => exchange(subject, options),
        ),
      ],
      close: () => provider.stop(),
    };
  },
});
