import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TestResponse } from '../support/client.ts';
import { openSession } from '../support/session-tokens.ts';
import { type SeenStatement, spyOnStatements } from '../support/spy-on-statements.ts';
import { HELD_APP, PARENT_CHANGES, REFUSED_GRANT as REFUSED, USER } from '../support/token-changes.ts';
import { useService } from '../support/use-service.ts';
import { newCode, newUserApp, payloadOf, redeem, refresh, tokensOf, type UserApp } from '../support/user-tokens.ts';

/**
 * Codes and refresh tokens that are used together are read before their shared transaction, and compared under its
 * locks (ADR 0082). In these races, a change commits in between, so the comparison must notice it.
 */
const { service, org } = useService({ isShared: false });

const SCOPES = ['openid', 'profile', 'offline_access', 'svc.users.read'];
const newApp = (): Promise<UserApp> => newUserApp(org, { scopes: ['svc.users.read'] });

type Send = () => Promise<TestResponse>;

const GRANTS: Readonly<Record<'a code' | 'a refresh token', (app: UserApp) => Promise<Send>>> = {
  'a code': async (app) => {
    const code = await newCode(service, org, app, { scopes: SCOPES });
    return () => redeem(org, app, code);
  },
  'a refresh token': async (app) => {
    const { refresh_token: token } = await tokensOf(service, org, app, { scopes: SCOPES });
    return () => refresh(org, app, token);
  },
};

const query = (text: string, values: readonly unknown[] = []) =>
  service.database.pool.query<Record<string, unknown>>(text, [...values]);

const isRead = ({ text }: SeenStatement): boolean => text.includes('"grantKey"');
const isLock = ({ text }: SeenStatement): boolean => text.includes('for share of u skip locked for share of a');

interface Watch {
  /** The number of grants that were read. */
  read: number;
  /** The number of statements that have not ended yet. */
  open: number;
  /** The numbers of users and apps in the locks of shared transactions. */
  readonly locked: number[];
  readonly failed: string[];
}

function watch(): Watch {
  const seen: Watch = { read: 0, open: 0, locked: [], failed: [] };
  spyOnStatements((statement) => {
    // The array of users has binary form, in which the number of its items follows a header of 12 bytes.
    const [, users] = statement.values;
    if (isLock(statement) && Buffer.isBuffer(users)) seen.locked.push(users.readInt32BE(12));
    seen.open += 1;
    return (rows) => {
      seen.open -= 1;
      if (rows < 0) seen.failed.push(statement.text);
      else if (isRead(statement)) seen.read += rows;
    };
  });
  return seen;
}

/** Each insert of events waits for this advisory lock. The relay, which reads and deletes them, does not. */
const GATE = 7_321;
const WAITING = `select count(*)::integer as waiting from pg_locks where locktype = 'advisory' and objid = ${GATE}
  and not granted`;

beforeAll(async () => {
  await query(`create function wait_at_gate() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(${GATE}); return null; end $$`);
  for (const table of ['log_inputs', 'log_outbox'])
    await query(`create trigger wait_at_gate before insert on ${table} execute function wait_at_gate()`);
});

const until = (what: string, isSo: () => Promise<boolean> | boolean): Promise<void> =>
  vi.waitFor(
    async () => {
      if (!(await isSo())) throw new Error(`timed out: ${what}`);
    },
    { timeout: 2_500, interval: 5 },
  );

let blockers: Send[] = [];

beforeEach(async () => {
  blockers = [];
  for (const _ of [1, 2]) blockers.push(await GRANTS['a refresh token'](await newApp()));
});
afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * Sends requests that share a transaction, and makes a change after they have read their grants. They wait meanwhile,
 * because two transactions of the org, which is the maximum, cannot insert their events.
 */
async function changedBetween(sends: readonly Send[], change: () => Promise<unknown>) {
  const holder = await service.database.pool.connect();
  try {
    await holder.query('begin');
    await holder.query(`select pg_advisory_xact_lock(${GATE})`);
    const blocked: Promise<TestResponse>[] = [];
    for (const [index, send] of blockers.entries()) {
      blocked.push(send());
      await until('a blocker waits', async () => Number((await query(WAITING)).rows[0]?.['waiting']) > index);
    }
    const seen = watch();
    const sent = sends.map((send) => send());
    await until('the grants are read', async () => {
      // A request needs a few turns, and may need other statements, from its reading to the queue.
      for (let turn = 0; turn < 20 && seen.open === 0; turn += 1) await nextTurn();
      return seen.read >= sends.length && seen.open === 0;
    });
    await change();
    await holder.query('commit');
    for (const { status } of await Promise.all(blocked)) expect(status).toBe(200);
    return { answers: await Promise.all(sent), seen };
  } finally {
    holder.release(true);
  }
}

/** Makes the change to the second of three grants. The others must not notice. */
async function changed(grant: keyof typeof GRANTS, change: string, values?: (app: UserApp) => readonly unknown[]) {
  const apps = [await newApp(), await newApp(), await newApp()];
  const sends: Send[] = [];
  for (const app of apps) sends.push(await GRANTS[grant](app));
  const [, app] = apps;
  if (app === undefined) throw new Error('three apps');
  const valuesOf = values ?? (({ id, userId }: UserApp) => [org.id, userId, id]);
  const { answers, seen } = await changedBetween(sends, () => query(change, valuesOf(app)));
  expect(seen.locked).toEqual([3]);
  expect(seen.failed).toEqual([]);
  const [first, answer, last] = answers;
  expect([first?.status, last?.status]).toEqual([200, 200]);
  return answer;
}

const STORED = 'where org_id = $1 and user_id = $2 and $3 <> $2';

describe.each(['a code', 'a refresh token'] as const)('%s beside others', (grant) => {
  test.each(PARENT_CHANGES)('%s: nothing is issued for it', async (_name, change, refused) => {
    expect(await changed(grant, change)).toMatchObject(refused);
  });

  test('the user is renamed: the tokens have the new name', async () => {
    const rename = `update users set profile = jsonb_set(profile, '{firstName}', '"Augusta"') where ${USER}`;
    const answer = await changed(grant, rename);
    expect(answer?.status).toBe(200);
    expect(payloadOf(answer?.body.id_token)).toMatchObject({ name: 'Augusta Lovelace' });
  });

  test('nothing has changed: each gets its own tokens', async () => {
    expect(await changed(grant, 'select $1::text, $2::text, $3::text')).toMatchObject({ status: 200 });
  });
});

describe('a code beside others', () => {
  test.each([
    ['is used', `update authorization_codes set used_at = now() ${STORED}`],
    ['ends', `delete from authorization_codes ${STORED}`],
  ])('%s: nothing is issued for it', async (_, change) => {
    expect(await changed('a code', change)).toMatchObject(REFUSED);
  });

  test('its session ends: nothing is issued for it', async () => {
    const apps = [await newApp(), await newApp()];
    const sends: Send[] = [];
    for (const app of apps) {
      const { externalSessionId: sessionExternalId } = await openSession(service, org, { userId: app.userId });
      const details = { baseUrl: org.baseUrl };
      const code = await newCode(service, org, app, { sessionExternalId, details });
      sends.push(() => redeem(org, app, code));
    }
    const end = 'delete from sessions where org_id = $1 and user_id = $2';
    const { answers, seen } = await changedBetween(sends, () => query(end, [org.id, apps[1]?.userId]));
    expect(seen).toMatchObject({ locked: [2], failed: [] });
    expect(answers[0]?.status).toBe(200);
    expect(answers[1]).toMatchObject(REFUSED);
  });

  test('its user reaches the maximum of refresh tokens: the oldest one ends', async () => {
    const { rows } = await query(
      `select string_agg(column_name, ', ') as names from information_schema.columns
        where table_name = 'refresh_tokens' and is_generated = 'NEVER' and column_name <> 'id'`,
    );
    const names = String(rows[0]?.['names']);
    const apps = [await newApp(), await newApp()];
    for (const app of apps) await tokensOf(service, org, app);
    const sends: Send[] = [];
    for (const app of apps) sends.push(await GRANTS['a code'](app));
    const [app] = apps;
    const fill = `${HELD_APP} insert into refresh_tokens (id, ${names}) select t.id || n, ${names}
      from refresh_tokens t, generate_series(1, 99) n
      where t.org_id = $1 and t.user_id = $2 and exists (select from held)`;
    const { answers } = await changedBetween(sends, () => query(fill, [org.id, app?.userId, app?.id]));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const count = 'select count(*)::integer as count from refresh_tokens where org_id = $1 and user_id = $2';
    expect((await query(count, [org.id, app?.userId])).rows).toEqual([{ count: 100 }]);
  });
});

describe('a refresh token beside others', () => {
  test.each([
    ['is rotated', `update refresh_tokens set generation = generation + 1, rotated_at = now() ${STORED}`],
    ['ends', `delete from refresh_tokens ${STORED}`],
    ['expires', `update refresh_tokens set idle_expires_at = created_at - interval '1 hour' ${STORED}`],
  ])('%s: nothing is issued for it', async (_, change) => {
    expect(await changed('a refresh token', change)).toMatchObject(REFUSED);
  });
});
