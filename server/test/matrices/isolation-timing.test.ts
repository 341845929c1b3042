import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { allRoutes } from '../../src/app/declared-routes.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import type { TestResponse } from '../support/client.ts';
import { until } from '../support/hook-receiver.ts';
import { expectOfEvery } from '../support/offenders.ts';
import { useService } from '../support/use-service.ts';
import { address, bodyOf } from '../sweeps/route-bodies.ts';
import { type WatchedStatement, watchStatements } from '../sweeps/watched-statements.ts';
import {
  type Ids,
  isAnswerToStrangers,
  type StrangersIds,
  strangersIds,
  type Variant,
  variantsOf,
} from './strangers-ids.ts';

/**
 * This file tests that a request for a resource of another org runs the same statements and gets the same response as a
 * request for a missing resource. `tools/isolation-timing.ts` measures how long both requests take.
 */
const { service, org } = useService();
let ids: StrangersIds;
let watched: readonly WatchedStatement[];
const background = new Set<string>();

beforeAll(async () => {
  watched = watchStatements();
  ids = await strangersIds(service, org, await service.newOrg());
  await service.drained();
  const from = watched.length;
  await delay(1_500);
  for (const { text } of watched.slice(from)) background.add(text);
}, 120_000);
afterAll(() => vi.restoreAllMocks());

const VOLATILE = /^(date|x-rate-limit-(remaining|reset)|x-svc-request-id|content-length)$/;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

function shapeOf({ headers, status, text }: TestResponse, asked: Ids): Answer {
  const names = Object.entries(headers).filter(([name]) => !VOLATILE.test(name));
  const bare = Object.values(asked)
    .filter((id) => id.length > 8)
    .reduce((rest, id) => rest.replaceAll(id, '(id)'), text.replace(/"errorId":"[^"]*"/, ''));
  return { status, headers: Object.fromEntries(names), text: bare };
}

interface Cost {
  readonly answer: Answer;
  readonly statements: readonly string[];
}

async function costOf(route: AnyRoute, asked: Ids): Promise<Cost> {
  const from = watched.length;
  const response = await org.admin.send(route.method, address(route, asked), bodyOf(route, org));
  const sent = watched.slice(from).filter(({ text }) => !background.has(text));
  // The service may send several statements at once, so the response can arrive before the last of them has ended.
  await until('every statement to end', () => sent.every(({ rows }) => rows !== null));
  const statements = sent.map(({ rows, text }) => `${rows}: ${text}`).toSorted();
  return { answer: shapeOf(response, asked), statements };
}

/** Background work may run a statement during an attempt, so costs that differ are measured again. */
const ATTEMPTS = 6;

async function comparedCosts(route: AnyRoute, variant: Variant): Promise<{ foreign: Cost; unknown: Cost }> {
  for (let attempt = 1; ; attempt += 1) {
    const foreign = await costOf(route, variant.foreign);
    const unknown = await costOf(route, variant.unknown);
    if (attempt === ATTEMPTS || JSON.stringify(foreign) === JSON.stringify(unknown)) return { foreign, unknown };
  }
}

const withIds = allRoutes.filter((route) => route.access === 'authenticated' && route.url.includes('/:'));

describe('an id of another org is answered like one that nobody has', () => {
  test('by every route', { timeout: 600_000 }, () => {
    const nameOf = ({ method, url }: AnyRoute): string => `${method} ${url}`;
    // Requests are sent one at a time, so that each statement belongs to one request.
    return expectOfEvery({ rows: withIds, nameOf, atLeast: 330, atOnce: 1 }, async (route) => {
      for (const variant of variantsOf(route, ids)) {
        const { foreign, unknown } = await comparedCosts(route, variant);
        expect(foreign.answer.status).toSatisfy((status: number) => isAnswerToStrangers(route, status));
        expect({ variant: variant.name, ...foreign }).toEqual({ variant: variant.name, ...unknown });
      }
    });
  });

  test('nearly every route takes ids', () => {
    const variants = withIds.map((route) => variantsOf(route, ids).length);
    expect(variants.filter((count) => count > 0).length).toBeGreaterThan(withIds.length * 0.9);
    expect(variants.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(withIds.length);
  });

  test('this would find one statement more', async () => {
    const from = watched.length;
    await service.database.pool.query('select id from orgs where id = $1', [org.id]);
    expect(watched.slice(from)).toContainEqual({ text: 'select id from orgs where id = $1', rows: 1 });
  });
});
