import { beforeAll, describe, expect, test } from 'vitest';
import { ADMISSION_PATHS } from '../../src/access/admission.ts';
import type { TestResponse } from '../support/client.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { USER_STATUSES, type UserStatus } from '../support/users.ts';
import { APP_POLICY_CHANGES, changeAppPolicy, REFUSED_BY_APP } from './admission-app-policies.ts';
import { OPERATIONS, type Operation } from './admission-operations.ts';
import { isIn, type PathsOf, type Refusal, statusesOf, USER_WAYS, type UserWay } from './admission-ways.ts';

/** ADR 0015; security list 46: every way in, tried in every state that must stop it. Clients: admission-clients. */
const { service } = useService({ isShared: false });
let org: TestOrg;

beforeAll(() => {
  org = service.org;
});

async function countsOf({ id }: TestOrg): Promise<{ sessions: number; sessionTokens: number }> {
  const { rows } = await service.database.pool.query<{ sessions: number; sessionTokens: number }>(
    `select (select count(*)::integer from sessions where org_id = $1) as sessions,
       (select count(*)::integer from session_tokens where org_id = $1) as "sessionTokens"`,
    [id],
  );
  return rows[0] ?? { sessions: 0, sessionTokens: 0 };
}

/** Tries a way; a refused caller learns only the refusal, and gets nothing. */
async function expectDecision(attempt: () => Promise<TestResponse>, refusal: Refusal | null): Promise<void> {
  // Processes cache roles and permissions for a second.
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

/** Returns the refusal that a way must give in a status; null when it must admit. */
function refusalIn(path: PathsOf<'user'>, way: UserWay, status: UserStatus | null): Refusal | null {
  if (status === null) return way.refusal;
  return statusesOf(path, way).includes(status) ? null : (way.nextSteps?.[status] ?? way.refusal);
}

const ways = Object.entries(USER_WAYS).flatMap(([path, list]) =>
  list.map((way) => [path as PathsOf<'user'>, way.name, way] as const),
);

describe.each(ways)('%s, by %s,', (path, _name, way) => {
  // An address may fail a hundred times a minute in one org.
  beforeAll(async () => {
    org = await service.newOrg();
  });

  test.each(USER_STATUSES)('of a user who is %s', async (status) => {
    const { attempt, userId } = await way.hold({ service, org });
    // Written directly to the row: what a regular change of status also voids must not hide a missing check.
    const text = `with unindexed as (delete from user_attribute_values where org_id = $1 and user_id = $2)
      update users set status = $3 where org_id = $1 and id = $2`;
    await service.database.pool.query(text, [org.id, userId, status]);
    await expectDecision(attempt, refusalIn(path, way, status));
  });

  test('from before the watermark of the user', async () => {
    const { attempt, userId } = await way.hold({ service, org });
    const text = 'update users set valid_after = clock_timestamp() where org_id = $1 and id = $2';
    await service.database.pool.query(text, [org.id, userId]);
    const isIssued = ['stateToken', 'oauth'].includes(way.credential) || way.credential.startsWith('session');
    await expectDecision(attempt, isIssued ? way.refusal : null);
  });

  const policies = 'app' in ADMISSION_PATHS[path] ? APP_POLICY_CHANGES : [];
  test.each(policies.map((change) => [change.name, change] as const))(
    'by %s of the app’s policy',
    async (_, change) => {
      const { attempt, userId } = await way.hold({ service, org });
      const takeBack = await changeAppPolicy(org, userId, change);
      await expectDecision(attempt, way.appRefusal ?? REFUSED_BY_APP);
      await takeBack();
    },
  );

  const operations = OPERATIONS.filter(({ from }) => from.includes(way.status));
  test.each(operations.map((operation): [string, Operation] => [operation.name, operation]))(
    'after %s',
    async (_operation, { apply, to = way.status, voids }) => {
      const bench = { service, org };
      const { attempt, userId } = await way.hold(bench);
      await apply(bench, userId);
      await expectDecision(attempt, voids.includes(way.credential) ? way.refusal : refusalIn(path, way, to));
    },
  );
});
