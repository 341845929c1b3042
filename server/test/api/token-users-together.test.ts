import { afterEach, describe, expect, test, vi } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { FEWEST_PLANS, plansOfTen, testOfPlans } from '../support/planned-statements.ts';
import { openSession } from '../support/session-tokens.ts';
import { type SeenStatement, spyOnStatements } from '../support/spy-on-statements.ts';
import { useService } from '../support/use-service.ts';
import { newCode, newUserApp, payloadOf, redeem, refresh, tokensOf, type UserApp } from '../support/user-tokens.ts';
import { eventsOf } from '../support/users.ts';

// Codes and refresh tokens that are used together share transactions (ADR 0082). Each must still have the result that
// it would have alone.

const { service, org } = useService({ isShared: false });

const NUMBER = 12;
const SCOPES = ['openid', 'profile', 'offline_access'];
const apps = beforeTests(async () => ({
  all: await Promise.all(Array.from({ length: NUMBER }, () => newUserApp(org))),
}));

const query = (text: string, values: readonly unknown[]) => service.database.pool.query(text, [...values]);
const statusesOf = (answers: readonly TestResponse[]) => answers.map(({ status }) => status);

/** Makes requests that each present a grant of its own. */
const GRANTS: Readonly<Record<string, (app: UserApp) => Promise<() => Promise<TestResponse>>>> = {
  codes: async (app) => {
    const code = await newCode(service, org, app, { scopes: SCOPES });
    return () => redeem(org, app, code);
  },
  'refresh tokens': async (app) => {
    const { refresh_token: token } = await tokensOf(service, org, app, { scopes: SCOPES });
    return () => refresh(org, app, token);
  },
};

interface Watch {
  readonly locks: SeenStatement[];
  readonly reads: SeenStatement[];
  readonly changes: SeenStatement[];
  readonly failed: string[];
}

/** Collects the statements for several grants, and those that fail, until the end of the test. */
function watch(): Watch {
  const seen: Watch = { locks: [], reads: [], changes: [], failed: [] };
  spyOnStatements((sent) => {
    if (/^(select (t\.id|r\.user_id|u\.id)\b|with live as materialized)/.test(sent.text)) seen.locks.push(sent);
    if (isRead(sent)) seen.reads.push(sent);
    if (/^(update (refresh_tokens|authorization_codes)|insert into refresh_tokens)/.test(sent.text))
      seen.changes.push(sent);
    return (rows) => {
      if (rows < 0) seen.failed.push(sent.text);
    };
  });
  return seen;
}
const isRead = ({ text }: SeenStatement): boolean => text.includes('"grantKey"');

/** Repeats a round of requests until fewer statements are made than requests, because they may not arrive together. */
async function untilShared(round: () => Promise<number>): Promise<void> {
  for (let rounds = 0; (await round()) >= NUMBER; rounds += 1)
    if (rounds > 20) throw new Error('no requests share a statement');
}

/** The events of a request for tokens with these scopes. */
const EVENTS = ['access_token', 'id_token', 'refresh_token'].map((kind) => `app.oauth2.token.grant.${kind}`);

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(Object.entries(GRANTS))('%s', (_, hold) => {
  test('each gets tokens for its own user and app, and each token is told in the log once', async () => {
    // The first requests open connections, and therefore do not arrive together.
    await Promise.all((await Promise.all(apps.all.map(hold))).map((send) => send()));
    const sends = await Promise.all(apps.all.map(hold));
    const { changes, failed } = watch();
    const answers = await Promise.all(sends.map((send) => send()));
    expect(failed).toEqual([]);
    expect(changes.length).toBeLessThan(NUMBER);
    for (const [index, answer] of answers.entries()) {
      const app = apps.all[index];
      expect(answer).toMatchObject({ status: 200, body: { scope: expect.stringContaining('offline_access') } });
      expect(payloadOf(answer.body.access_token)).toMatchObject({ cid: app?.id, uid: app?.userId });
      expect(payloadOf(answer.body.id_token)).toMatchObject({ aud: app?.id, sub: app?.userId });
      const events = await eventsOf(org, answer);
      expect(events.map(({ eventType }: { eventType: string }) => eventType).toSorted()).toEqual(EVENTS);
      for (const { actor, target } of events) {
        expect(actor.id).toBe(app?.id);
        expect(target).toContainEqual(expect.objectContaining({ id: app?.userId, alternateId: app?.login }));
      }
    }
    const used = await Promise.all(apps.all.map((app, index) => refresh(org, app, answers[index]?.body.refresh_token)));
    expect(statusesOf(used)).toEqual(answers.map(() => 200));
  });

  test.each([
    ['user', 'select $3::text from users where org_id = $1 and id = $2 for update'],
    ['app', 'select $2::text from apps where org_id = $1 and id = $3 for update'],
    [
      'grant',
      `with codes as (select from authorization_codes where org_id = $1 and user_id = $2 for update),
        tokens as (select from refresh_tokens where org_id = $1 and user_id = $2 for update)
      select (select count(*) from codes), (select count(*) from tokens), $3::text`,
    ],
  ])('one whose %s is locked waits, and the others do not', async (_what, lock) => {
    const some = apps.all.slice(0, 5);
    const sends = await Promise.all(some.map(hold));
    const held = some.at(-1);
    const holder = await service.database.pool.connect();
    try {
      await holder.query('begin');
      await holder.query(lock, [org.id, held?.userId, held?.id]);
      const { failed } = watch();
      let isAnswered = false;
      const sent = sends.map((send) => send());
      const waiting = sent.pop()?.finally(() => {
        isAnswered = true;
      });
      expect(statusesOf(await Promise.all(sent))).toEqual(sent.map(() => 200));
      expect([failed, isAnswered]).toEqual([[], false]);
      await holder.query('commit');
      expect((await waiting)?.status).toBe(200);
    } finally {
      holder.release(true);
    }
  });

  test('each refusal is its own and is told, and the others get their tokens', async () => {
    const refused = await Promise.all([newUserApp(org), newUserApp(org)]);
    const sends = await Promise.all([...apps.all.slice(0, 4), ...refused].map(hold));
    await query(`update users set status = 'SUSPENDED' where org_id = $1 and id = $2`, [org.id, refused[0]?.userId]);
    await query('delete from app_users where org_id = $1 and app_id = $2', [org.id, refused[1]?.id]);
    const { failed } = watch();
    const answers = await Promise.all(sends.map((send) => send()));
    expect(failed).toEqual([]);
    expect(statusesOf(answers)).toEqual([200, 200, 200, 200, 400, 400]);
    expect(answers.slice(-2).map(({ body }) => body.error)).toEqual(['invalid_grant', 'access_denied']);
    for (const answer of answers.slice(-2))
      expect(await eventsOf(org, answer)).toMatchObject([{ outcome: { result: 'FAILURE' } }]);
  });

  test('one that comes several times is good once, and the others keep theirs', async () => {
    const [first, ...others] = await Promise.all(apps.all.slice(0, 5).map(hold));
    if (first === undefined) throw new Error('there are no grants');
    const answers = await Promise.all([first, ...others, first, first].map((send) => send()));
    expect(statusesOf(answers.slice(1, 5))).toEqual([200, 200, 200, 200]);
    const own = [answers[0], ...answers.slice(5)];
    expect(own.filter((answer) => answer?.status === 200)).toHaveLength(1);
    for (const answer of own) if (answer?.status !== 200) expect(answer?.body.error).toBe('invalid_grant');
  });
});

test('a code that is redeemed by another address than its session knows changes that address', async () => {
  const sends = await Promise.all(
    apps.all.slice(0, 4).map(async (app) => {
      const { externalSessionId: sessionExternalId } = await openSession(service, org, { userId: app.userId });
      await query(
        `insert into session_clients (org_id, session_external_id, client_id, server_id, base_url, created_at)
          values ($1, $2, $3, '', 'https://old.example', now())`,
        [org.id, sessionExternalId, app.id],
      );
      const code = await newCode(service, org, app, { sessionExternalId, details: { baseUrl: 'https://old.example' } });
      return { sessionExternalId, send: () => redeem(org, app, code) };
    }),
  );
  const answers = await Promise.all(sends.map(({ send }) => send()));
  expect(statusesOf(answers)).toEqual([200, 200, 200, 200]);
  const { rows } = await query(
    'select base_url from session_clients where org_id = $1 and session_external_id = any($2::text[])',
    [org.id, sends.map(({ sessionExternalId }) => sessionExternalId)],
  );
  expect(rows).toEqual(sends.map(() => ({ base_url: org.baseUrl })));
});

test('userinfo requests share a read of their users, and each tells about its own', async () => {
  const ask = async (app: UserApp) => {
    const { access_token: token } = await tokensOf(service, org, app, { scopes: ['openid', 'email'] });
    return () => org.client({ authorization: `Bearer ${token}` }).get('/oauth2/v1/userinfo');
  };
  const sends = await Promise.all(apps.all.map(ask));
  let reads = 0;
  spyOnStatements((sent) => {
    if (sent.text.includes('from users u where u.org_id = $1 and u.id = any(')) reads += 1;
    return null;
  });
  await untilShared(async () => {
    reads = 0;
    const answers = await Promise.all(sends.map((send) => send()));
    expect(statusesOf(answers)).toEqual(answers.map(() => 200));
    expect(answers.map(({ body }) => body.sub)).toEqual(apps.all.map(({ userId }) => userId));
    expect(reads).toBeGreaterThan(0);
    return reads;
  });
});

test.each(Object.entries(GRANTS))('%s share reads', async (_, hold) => {
  const { reads } = watch();
  await untilShared(async () => {
    const sends = await Promise.all(apps.all.map(hold));
    reads.length = 0;
    expect(statusesOf(await Promise.all(sends.map((send) => send())))).toEqual(sends.map(() => 200));
    expect(reads.length).toBeGreaterThan(0);
    return reads.length;
  });
});

testOfPlans('the statements for several grants are planned once', async () => {
  const seen = watch();
  for (const hold of Object.values(GRANTS)) {
    const sends = await Promise.all(apps.all.map(hold));
    await Promise.all(sends.map((send) => send()));
  }
  vi.restoreAllMocks();
  const statements = new Map([...seen.reads, ...seen.locks, ...seen.changes].map((sent) => [sent.text, sent]));
  // Each kind of grants has a read, a lock and an update; parents have a lock and digests; new tokens have an insert.
  expect(statements.size).toBeGreaterThanOrEqual(9);
  const client = await service.database.pool.connect();
  try {
    await client.query('begin');
    const plans: Record<string, unknown> = {};
    for (const [text, sent] of statements) {
      // The rows of an insert exist by now.
      if (text.startsWith('insert into')) await client.query('delete from refresh_tokens where org_id = $1', [org.id]);
      plans[text] = await plansOfTen(client, sent);
    }
    expect(plans).toEqual(Object.fromEntries([...statements.keys()].map((text) => [text, FEWEST_PLANS])));
  } finally {
    client.release(true);
  }
});
