import { expect, test } from 'vitest';
import { ADMISSION_PATHS } from '../../src/access/admission.ts';
import { expectOfEvery } from '../support/offenders.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { USER_STATUSES, type UserStatus } from '../support/users.ts';
import { APP_POLICY_CHANGES, changeAppPolicy, REFUSED_BY_APP } from './admission-app-policies.ts';
import { OPERATIONS } from './admission-operations.ts';
import { type Held, isIn, type PathsOf, type Refusal, statusesOf, USER_WAYS, type UserWay } from './admission-ways.ts';

/**
 * This file tests which ways admit a user, in each status and after each operation (ADR 0015; attack 46 in
 * docs/security-rows.md).
 */
const { service } = useService({ isShared: false });

async function countsOf({ id }: TestOrg): Promise<{ sessions: number; sessionTokens: number }> {
  const { rows } = await service.database.pool.query<{ sessions: number; sessionTokens: number }>(
    `select (select count(*)::integer from sessions where org_id = $1) as sessions,
       (select count(*)::integer from session_tokens where org_id = $1) as "sessionTokens"`,
    [id],
  );
  return rows[0] ?? { sessions: 0, sessionTokens: 0 };
}

/**
 * Tries a way, and expects `refusal`, or success if it is null. A refused attempt must create neither a session nor a
 * session token.
 */
async function expectDecision({ attempt, org }: Trial, refusal: Refusal | null): Promise<void> {
  // Cached data may be a second old.
  service.clock.advance(1_100);
  const before = await countsOf(org);
  const answer = await attempt();
  if (refusal === null) {
    expect({ isIn: isIn(answer), text: answer.text }).toEqual({ isIn: true, text: answer.text });
    return;
  }
  expect({ isIn: isIn(answer), status: answer.status, body: answer.body }).toMatchObject({ isIn: false, ...refusal });
  expect(answer.text).not.toMatch(/sessionToken/);
  const after = await countsOf(org);
  expect(after.sessions).toBeLessThanOrEqual(before.sessions);
  expect(after.sessionTokens).toBeLessThanOrEqual(before.sessionTokens);
}

function refusalIn(path: PathsOf<'user'>, way: UserWay, status: UserStatus | null): Refusal | null {
  if (status === null) return way.refusal;
  return statusesOf(path, way).includes(status) ? null : (way.nextSteps?.[status] ?? way.refusal);
}

interface WayIn {
  readonly path: PathsOf<'user'>;
  readonly way: UserWay;
}

const ways: readonly WayIn[] = Object.entries(USER_WAYS).flatMap(([path, list]) =>
  list.map((way) => ({ path: path as PathsOf<'user'>, way })),
);

/** Each way has its own org, because failed attempts are limited per IP address and org. */
const orgs = new Map<UserWay, Promise<TestOrg>>();

interface Trial extends Held {
  readonly org: TestOrg;
}

async function hold(way: UserWay): Promise<Trial> {
  const opened = orgs.get(way) ?? service.newOrg();
  orgs.set(way, opened);
  const org = await opened;
  return { org, ...(await way.hold({ service, org })) };
}

const change = ({ org, userId }: Trial, text: string, ...more: readonly unknown[]) =>
  service.database.pool.query(text, [org.id, userId, ...more]);

const withEach = <Row>(rowsFor: (one: WayIn) => readonly Row[]) =>
  ways.flatMap((one) => rowsFor(one).map((row) => ({ ...one, row })));

/** Checks the cases one at a time, because they share one clock. */
const everyCase = <Row>(
  rows: readonly (WayIn & { readonly row: Row })[],
  atLeast: number,
  labelOf: (row: Row) => string,
  check: (one: WayIn & { readonly row: Row }) => Promise<void>,
): Promise<void> => {
  const nameOf = ({ path, row, way }: WayIn & { readonly row: Row }) => `${path}, by ${way.name}, ${labelOf(row)}`;
  return expectOfEvery({ rows, nameOf, atLeast, atOnce: 1 }, check);
};

const LONG = 600_000;

test('every way, of a user in every status', { timeout: LONG }, () =>
  everyCase(
    withEach(() => USER_STATUSES),
    256,
    (status) => `of a user who is ${status}`,
    async ({ path, row: status, way }) => {
      const trial = await hold(way);
      // The test sets the status in the row. A regular change would also void credentials, which could hide a missing
      // check.
      const text = `with unindexed as (delete from user_attribute_values where org_id = $1 and user_id = $2)
          update users set status = $3 where org_id = $1 and id = $2`;
      await change(trial, text, status);
      await expectDecision(trial, refusalIn(path, way, status));
    },
  ),
);

test('every way, from before the watermark of the user', { timeout: LONG }, () =>
  everyCase(
    withEach(() => ['from before the watermark of the user']),
    32,
    String,
    async ({ way }) => {
      const trial = await hold(way);
      await change(trial, 'update users set valid_after = clock_timestamp() where org_id = $1 and id = $2');
      const isIssued = ['stateToken', 'oauth'].includes(way.credential) || way.credential.startsWith('session');
      await expectDecision(trial, isIssued ? way.refusal : null);
    },
  ),
);

test('every way to an app, by a rule of its policy', { timeout: LONG }, () =>
  everyCase(
    withEach(({ path }) => ('app' in ADMISSION_PATHS[path] ? APP_POLICY_CHANGES : [])),
    44,
    ({ name }) => `by ${name} of the app's policy`,
    async ({ row, way }) => {
      const trial = await hold(way);
      const takeBack = await changeAppPolicy(trial.org, trial.userId, row);
      await expectDecision(trial, way.appRefusal ?? REFUSED_BY_APP);
      await takeBack();
    },
  ),
);

test('every way, after every operation on its user', { timeout: LONG }, () =>
  everyCase(
    withEach(({ way }) => OPERATIONS.filter(({ from }) => from.includes(way.status))),
    360,
    ({ name }) => `after ${name}`,
    async ({ path, row: { apply, to, voids }, way }) => {
      const trial = await hold(way);
      await apply({ service, org: trial.org }, trial.userId);
      const refusal = voids.includes(way.credential)
        ? way.refusal
        : refusalIn(path, way, to === undefined ? way.status : to);
      await expectDecision(trial, refusal);
    },
  ),
);
