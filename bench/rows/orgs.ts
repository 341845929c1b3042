import { type Connection, openConnection, requestBytes } from '../connection.ts';
import { authorizationOf, type Gatehouse, newPlace, type Place, startGatehouse } from '../gatehouse.ts';
import { assertGood, median } from '../load.ts';
import { addOrgs, hostnameOf, tokenOf } from '../orgs-data.ts';
import type { Result } from '../result.ts';
import type { Row, RowOptions } from '../row.ts';
import { secondsToAnswer } from './start.ts';

const WARMUP = 500;
const REQUESTS = 4_000;

/** Returns the latencies in milliseconds, without the warm-up. */
async function latenciesOf(gatehouse: Gatehouse, requests: readonly Buffer[]): Promise<number[]> {
  const connection: Connection = await openConnection(gatehouse.endpoint, 0);
  const latencies: number[] = [];
  for (let index = 0; index < WARMUP + REQUESTS; index += 1) {
    const started = performance.now();
    const answer = await connection.send(requests[index % requests.length] ?? Buffer.alloc(0));
    if (index >= WARMUP) latencies.push(performance.now() - started);
    assertGood(answer);
  }
  connection.close();
  return latencies;
}

const own = ({ endpoint, token }: Gatehouse): Buffer =>
  requestBytes(endpoint, 'GET', '/api/v1/users/me', authorizationOf(token));

/** All requests share one connection, so only the Host header selects the org. */
const spread = ({ endpoint }: Gatehouse, orgs: number): Buffer[] =>
  Array.from({ length: orgs }, (_, index) => {
    const target = { ...endpoint, hostname: hostnameOf(index + 1) };
    return requestBytes(target, 'GET', '/api/v1/users/me', authorizationOf(tokenOf(index + 1)));
  });

interface Figures {
  readonly seconds: readonly number[];
  readonly one: readonly number[];
  readonly many: readonly number[];
}

async function figuresOf(place: Place, options: RowOptions, busyOrgs: number): Promise<Figures> {
  const { build, node, plain } = options;
  const { rounds, starts } = options.sizes;
  const figures = { seconds: [] as number[], one: [] as number[], many: [] as number[] };
  for (let start = 0; start < starts; start += 1) figures.seconds.push(await secondsToAnswer(options, place, false));
  for (let round = 0; round < rounds; round += 1) {
    const gatehouse = await startGatehouse({ place, plain, build, node });
    try {
      figures.one.push(median(await latenciesOf(gatehouse, [own(gatehouse)])));
      if (busyOrgs > 0) figures.many.push(median(await latenciesOf(gatehouse, spread(gatehouse, busyOrgs))));
    } finally {
      await gatehouse.stop();
    }
  }
  return figures;
}

const line = (
  work: string,
  unit: 's' | 'ms',
  many: readonly number[],
  one: readonly number[],
  judged = true,
): Result => ({
  work,
  gatehouse: { name: 'many orgs', unit, values: many },
  beside: { name: '1 org', unit, values: one },
  target: judged ? { bound: 1.1, atLeast: false } : null,
});

async function run(options: RowOptions): Promise<readonly Result[]> {
  const { build, node } = options;
  const { busyOrgs, orgs: count } = options.sizes;
  const place = await newPlace();
  try {
    // The first start creates the installation.
    await secondsToAnswer(options, place, false);
    const one = await figuresOf(place, options, 0);
    const gatehouse = await startGatehouse({ place, build, node });
    try {
      await addOrgs(gatehouse, count - 1);
    } finally {
      await gatehouse.stop();
    }
    const many = await figuresOf(place, options, busyOrgs);
    const orgs = count.toLocaleString('en-US');
    return [
      line(`start to the first answer with ${orgs} orgs`, 's', many.seconds, one.seconds),
      line(`latency (p50) of one org among ${orgs}`, 'ms', many.one, one.one),
      line(`latency (p50) of requests spread over ${busyOrgs} of ${orgs} orgs`, 'ms', many.many, one.one, false),
    ];
  } finally {
    await place.remove();
  }
}

/** This row compares one installation in two states: with only its first org, and with many orgs. */
export const orgs: Row = {
  name: 'orgs',
  settings: ({ plain }) => `${plain ? 'plain HTTP' : 'HTTPS'} with keep-alive, one connection, GET /api/v1/users/me`,
  run,
};
