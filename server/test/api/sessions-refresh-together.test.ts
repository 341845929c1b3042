import { beforeEach, expect, test, vi } from 'vitest';
import { hashSecret } from '../../src/platform/crypto/index.ts';
import { CLOCK } from '../../src/platform/postgres/index.ts';
import { FEWEST_PLANS, plansOfTen, testOfPlans } from '../support/planned-statements.ts';
import { ME, NO_SESSION, type OpenSession, openSession } from '../support/session-tokens.ts';
import { spyOnStatements } from '../support/spy-on-statements.ts';
import { movedBy } from '../support/time.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf } from '../support/users.ts';

// Refreshes that arrive together share transactions (ADR 0082). Each must still have the result that it would have
// alone.

const { service, org } = useService({ isShared: false });

const NUMBER = 12;
const MINUTE_MILLISECONDS = 60_000;
let sessions: OpenSession[] = [];

const refresh = ({ client }: OpenSession) => client.post(`${ME}/lifecycle/refresh`);
const query = (text: string, values: readonly unknown[]) => service.database.pool.query(text, [...values]);

interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Collects the statements that lock or change several sessions, and those that fail, until `stop` is called. */
function watch() {
  const locks: Sent[] = [];
  const changes: Sent[] = [];
  const failed: string[] = [];
  spyOnStatements((sent) => {
    if (sent.text.includes('"extendedUntil"')) locks.push(sent);
    if (sent.text.startsWith('update sessions s set')) changes.push(sent);
    return (rows) => {
      if (rows < 0) failed.push(sent.text);
    };
  });
  return { changes, failed, locks, stop: () => vi.restoreAllMocks() };
}

const timeOf = (text: unknown): number => new Date(String(text)).getTime();
/** Returns the hashes of the session ids in a statement for several sessions. */
const hashesIn = ({ values: [, hashes] }: Sent): string[] =>
  Array.isArray(hashes) ? hashes.map((hash: Buffer) => hash.toString('hex')) : [];
const hashOf = ({ id }: OpenSession): string => hashSecret(id).toString('hex');

beforeEach(async () => {
  sessions = await Promise.all(Array.from({ length: NUMBER }, () => openSession(service, org, { idleMinutes: 10 })));
  // From here on, the process knows the owner of each session.
  for (const { client } of sessions) await client.get(ME);
});

test('each session is extended by its own time, shown, and told in the log once', async () => {
  for (const [index, { id }] of sessions.entries()) {
    await query('update sessions set idle_minutes = $3, lifetime_minutes = $4 where org_id = $1 and id_hash = $2', [
      org.id,
      hashSecret(id),
      20 + index,
      index === 0 ? 5 : 0,
    ]);
  }
  const begin = service.clock.now().getTime();
  const { changes, locks, stop } = watch();
  const answers = await Promise.all(sessions.map(refresh));
  stop();
  const end = service.clock.now().getTime();
  expect(locks.length).toBeLessThan(NUMBER);
  expect(Math.max(...changes.map((change) => hashesIn(change).length))).toBeGreaterThan(1);
  for (const [index, answer] of answers.entries()) {
    const session = sessions[index];
    expect(answer).toMatchObject({ status: 200, body: { id: session?.id, userId: session?.userId } });
    const createdAt = timeOf(session?.body.createdAt);
    const [earliest, latest, minutes] = index === 0 ? [createdAt, createdAt, 5] : [begin, end, 20 + index];
    expect(timeOf(answer.body.expiresAt)).toBeGreaterThanOrEqual(earliest + minutes * MINUTE_MILLISECONDS);
    expect(timeOf(answer.body.expiresAt)).toBeLessThanOrEqual(latest + minutes * MINUTE_MILLISECONDS);
    expect((await session?.client.get(ME))?.body).toEqual(answer.body);
    expect(await eventsOf(org, answer)).toMatchObject([
      {
        eventType: 'user.session.refresh',
        target: [{ id: session?.userId }],
        authenticationContext: { externalSessionId: session?.externalSessionId },
      },
    ]);
  }
});

test('a session that was refreshed by a clock that is ahead is not shortened', async () => {
  await query(
    `update sessions set last_refreshed_at = ${movedBy('last_refreshed_at', '1 hour')},
       expires_at = ${movedBy('expires_at', '1 hour')} where org_id = $1`,
    [org.id],
  );
  const stored = () =>
    query(
      `select external_id, expires_at from sessions where org_id = $1 and last_refreshed_at > $2 order by external_id`,
      [org.id, service.clock.now()],
    );
  const before = (await stored()).rows;
  expect(before.length).toBeGreaterThanOrEqual(NUMBER);
  const answers = await Promise.all(sessions.map(refresh));
  expect(answers.map(({ status }) => status)).toEqual(sessions.map(() => 200));
  expect((await stored()).rows).toEqual(before);
});

test('each refusal is its own, leaves no event, and makes nobody repeat anything', async () => {
  const refusing = [
    'delete from sessions where org_id = $1 and user_id = $2',
    `update sessions set expires_at = ${movedBy('created_at', '-1 hour')} where org_id = $1 and user_id = $2`,
    `update users set valid_after = clock.now from ${CLOCK} where org_id = $1 and id = $2`,
    `update users set status = 'SUSPENDED' where org_id = $1 and id = $2`,
  ];
  // The first requests run without others, so the last sessions are the ones that change.
  const changed = sessions.slice(-refusing.length);
  for (const [index, change] of refusing.entries()) await query(change, [org.id, changed[index]?.userId]);
  const { changes, failed, locks, stop } = watch();
  const answers = await Promise.all(sessions.map(refresh));
  stop();
  expect(answers.map(({ status }) => status)).toEqual(
    sessions.map((session) => (changed.includes(session) ? 404 : 200)),
  );
  for (const refused of answers.slice(-refusing.length)) {
    expect(refused).toMatchObject(NO_SESSION);
    expect(await eventsOf(org, refused)).toEqual([]);
  }
  // Nobody failed after a change, so no transaction was repeated.
  expect(failed.filter((text) => !text.includes('skip locked'))).toEqual([]);
  const locked = locks.flatMap(hashesIn);
  const extended = changes.flatMap(hashesIn);
  expect(extended).toEqual([...new Set(extended)]);
  expect(locked).toEqual([...new Set(locked)]);
  expect(extended.filter((hash) => changed.map(hashOf).includes(hash))).toEqual([]);
});

test('events tell what is true when the session is locked', async () => {
  await query(`update users set login = 'new-' || login where org_id = $1 and id = any($2::text[])`, [
    org.id,
    sessions.map(({ userId }) => userId),
  ]);
  const answers = await Promise.all(sessions.map(refresh));
  for (const answer of answers) {
    const [event] = await eventsOf(org, answer);
    expect(answer.body.login).toMatch(/^new-/);
    expect(event.target).toEqual([expect.objectContaining({ alternateId: answer.body.login })]);
  }
});

test.each([
  ['user', 'select from users where org_id = $1 and id = $2 for update'],
  ['session', 'select from sessions where org_id = $1 and user_id = $2 for update'],
])('a refresh waits while its %s is locked, and the others do not', async (_, lock) => {
  // The waiting refreshes fail if the lock is held for too long, so there are few other ones.
  const [first, ...others] = sessions.slice(0, 5);
  const last = others.pop();
  if (first === undefined || last === undefined) throw new Error('sessions are missing');
  const holder = await service.database.pool.connect();
  await holder.query('begin');
  for (const { userId } of [first, last]) await holder.query(lock, [org.id, userId]);
  const waiting = [refresh(first), ...others.map(refresh), refresh(last)];
  const answers = await Promise.all(waiting.slice(1, -1));
  expect(answers.map(({ status }) => status)).toEqual(others.map(() => 200));
  const { rows } = await query('select user_id from sessions where org_id = $1 and last_refreshed_at > created_at', [
    org.id,
  ]);
  const refreshedUsers = rows.map((row) => String(row.user_id));
  expect([first, last].filter(({ userId }) => refreshedUsers.includes(userId))).toEqual([]);
  await holder.query('commit');
  holder.release();
  expect((await Promise.all([waiting[0], waiting.at(-1)])).map((answer) => answer?.status)).toEqual([200, 200]);
});

test('simultaneous refreshes of one session all succeed', async () => {
  const [session] = sessions;
  if (session === undefined) throw new Error('sessions are missing');
  const answers = await Promise.all(sessions.map(() => refresh(session)));
  expect(answers.map(({ status }) => status)).toEqual(sessions.map(() => 200));
  for (const answer of answers) expect(await eventsOf(org, answer)).toHaveLength(1);
});

testOfPlans('the statements for several sessions are planned once', async () => {
  const { changes, locks, stop } = watch();
  await Promise.all(sessions.map(refresh));
  stop();
  const client = await service.database.pool.connect();
  await client.query('begin');
  const plans = [await plansOfTen(client, locks[0]), await plansOfTen(client, changes[0])];
  await client.query('rollback');
  client.release(true);
  expect(plans).toEqual([FEWEST_PLANS, FEWEST_PLANS]);
});
