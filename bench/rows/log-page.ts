import { requestBytes } from '../connection.ts';
import type { Gatehouse } from '../gatehouse.ts';
import { logArena } from '../log-arena.ts';
import { UNPACKED_TABLE } from '../log-data.ts';
import { medianLatency, questionsOf, requestOf } from '../log-questions.ts';
import type { Result } from '../result.ts';
import type { Row, RowOptions } from '../row.ts';

const TARGET_MILLISECONDS = 30;

/** Returns paths of pages from the whole log, which the peer reads by primary key. */
async function placesOf({ orgId, pool }: Gatehouse, events: number): Promise<readonly string[]> {
  const step = Math.max(1, Math.floor(events / 50));
  const { rows } = await pool.query<{ position: number; persisted_at: Date }>(
    `select position, persisted_at from ${UNPACKED_TABLE}
     where org_id = $1 and position % $2 = 1 and position < $3 order by position`,
    [orgId, step, Math.max(2, events - 1_000)],
  );
  return rows.map((row) => `/log/${orgId}/${row.position}/${row.persisted_at.toISOString()}`);
}

async function run(options: RowOptions): Promise<readonly Result[]> {
  const { data, gatehouse, peer } = await logArena(options);
  const questions = questionsOf(data.probes);
  const places = await placesOf(gatehouse, data.events);
  const { logPages, rounds } = options.sizes;
  const limits: number[] = [];
  const found = questions.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    const limit = (asked: number): Buffer => requestBytes(peer.endpoint, 'GET', places[asked % places.length] ?? '/');
    limits.push(await medianLatency(peer.endpoint, limit, logPages));
    for (const [index, question] of questions.entries()) {
      const ask = (asked: number): Buffer => requestOf(gatehouse, question, asked);
      found[index]?.push(await medianLatency(gatehouse.endpoint, ask, logPages));
    }
  }
  const beside = { name: 'bare Fastify + primary-key page', unit: 'ms', values: limits } as const;
  return questions.map(({ name }, index) => ({
    work: `log page, ${name}, p50`,
    gatehouse: { name: 'Gatehouse', unit: 'ms', values: found[index] ?? [] },
    beside,
    target: { bound: TARGET_MILLISECONDS, atLeast: false, isOfValue: true, orRatio: 1 },
  }));
}

/**
 * This row measures one page of each query on a large log, compared with a page that bare Fastify reads by primary key.
 */
export const logPage: Row = {
  name: 'log-page',
  settings: ({ plain, sizes }) =>
    `${sizes.logEvents.toLocaleString('en-US')} events over 89 days in one org among ${sizes.logSmallOrgs + 1}, ` +
    `pages of 1,000, one connection, ${plain ? 'plain HTTP' : 'HTTPS'} with keep-alive on both sides`,
  run,
};
