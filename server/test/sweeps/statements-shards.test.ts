import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { failureCode } from '../../src/platform/postgres/index.ts';
import { isOnCitus } from '../support/citus.ts';
import { DRAINED_TEXT } from '../support/drained.ts';
import { repeatingOutbound } from '../support/hook-receiver.ts';
import { type SeenStatement, spyOnStatements } from '../support/spy-on-statements.ts';
import { useService } from '../support/use-service.ts';
import { ACROSS_ORGS } from './statements-across-orgs.ts';
import { useEveryRoute } from './use-every-route.ts';

/** Statements that `explain` does not accept. They name no table with an org. */
const NOT_EXPLAINED = /^(?:begin|commit|rollback|set|lock|create|drop|alter|comment|do|explain|prepare|execute) ?/;

/** The number of shards that each part of a statement reads or changes. */
const TASKS = /Task Count: (\d+)/g;

const spelled = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().replaceAll('"', '').toLowerCase();

const tasksOf = (plan: string): number[] => [...plan.matchAll(TASKS)].map((match) => Number(match[1]));

/** Returns null if Citus cannot explain the statement: `insert ... select` is planned when its values are known. */
async function planOf(client: PoolClient, { text, values }: SeenStatement): Promise<string | null> {
  const query = { text: `explain (costs off) ${text}`, values: [...values] };
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(query);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } catch (error) {
    if (String(error).includes('could not create distributed plan')) return null;
    throw new Error(`${text} could not be explained`, { cause: error });
  }
}

/** Runs a statement without a lasting effect. Citus makes an error of a query for several shards. */
async function needsSeveralShards(client: PoolClient, { text, values }: SeenStatement): Promise<boolean> {
  await client.query('begin');
  try {
    await client.query("set local citus.multi_task_query_log_level = 'error'");
    await client.query(text, [...values]);
    return false;
  } catch (error) {
    if (String(error).includes('multi-task query')) return true;
    // The row is there already.
    if (failureCode(error) === '23505') return false;
    throw error;
  } finally {
    await client.query('rollback');
  }
}

/** This sweep needs a Citus cluster (see `docs/operate/citus.md`). Elsewhere, there are no shards. */
describe.skipIf(!isOnCitus)('every statement that ran in a Citus cluster', () => {
  const { service } = useService({ outbound: repeatingOutbound });
  const statements = new Map<string, SeenStatement>();
  const plans = new Map<string, string>();
  const wide = new Set<string>();

  beforeAll(async () => {
    spyOnStatements((statement) => {
      const text = spelled(statement.text);
      if (!statements.has(text) && !NOT_EXPLAINED.test(text)) statements.set(text, statement);
      return null;
    });
    await useEveryRoute(service);
    await service.drained();
    vi.restoreAllMocks();
    const client = await service.database.pool.connect();
    try {
      for (const [spelling, statement] of statements) {
        const plan = await planOf(client, statement);
        if (plan !== null) plans.set(spelling, plan);
        else if (await needsSeveralShards(client, statement)) wide.add(spelling);
      }
    } finally {
      client.release();
    }
    for (const [spelling, plan] of plans) if (tasksOf(plan).some((tasks) => tasks > 1)) wide.add(spelling);
  });
  afterAll(() => vi.restoreAllMocks());

  test('can be explained, most of them', () => {
    expect(plans.size).toBeGreaterThan(200);
    expect(plans.size).toBeGreaterThan(0.9 * statements.size);
    expect([...plans.values()].filter((plan) => tasksOf(plan).length > 0).length).toBeGreaterThan(150);
  });

  test('looks at one shard, unless it is declared to look at all orgs', () => {
    const isDeclared = (text: string): boolean =>
      text === spelled(DRAINED_TEXT) || ACROSS_ORGS.some(({ pattern }) => pattern.test(text));
    expect([...wide].filter((text) => !isDeclared(text))).toEqual([]);
    expect(wide.size).toBeGreaterThan(0);
  });
});
