import * as fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { appsWithin, coveredUsers, covers, coversUser, groupsWithin, usersWithin } from '../../src/access/index.ts';
import type { Grant } from '../../src/platform/http/index.ts';
import { createApp, serviceApp } from '../support/apps.ts';
import { addMember, createGroup } from '../support/groups.ts';
import { rounds } from '../support/rounds.ts';
import { useService } from '../support/use-service.ts';

// The three forms of a grant must agree: the one for lists, the one for a user in a transaction, and the one for a
// resource whose facts are known.

const { service, org } = useService();
const groups: string[] = [];
const users = new Map<string, string[]>();
const apps: string[] = [];

beforeAll(async () => {
  for (let index = 0; index < 3; index += 1) groups.push((await createGroup(org)).id);
  for (let index = 0; index < 6; index += 1) {
    const { id } = await org.createUser();
    const joined = groups.filter((_, group) => (index >> group) % 2 === 1);
    for (const group of joined) await addMember(org, group, id);
    users.set(id, joined);
  }
  for (let index = 0; index < 2; index += 1) apps.push((await createApp(org, serviceApp())).id);
  users.set(org.adminUserId, []);
});

/** Chooses among objects that exist only when the test runs. */
const some = (list: () => readonly string[]) =>
  fc.uniqueArray(fc.nat(7), { maxLength: 3 }).map((picks) =>
    picks.flatMap((pick) => {
      const one = list()[pick];
      return one === undefined ? [] : [one];
    }),
  );
const userIds = some(() => [...users.keys()]);
const groupIds = some(() => groups);
const appIds = some(() => apps);
const appNames = some(() => ['oidc_client', 'bookmark']);
const exclusion = fc.record({ ids: userIds, groupIds, appNames });
const grants: fc.Arbitrary<Grant> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Grant>({ kind: 'all' }) },
  { weight: 1, arbitrary: userIds.map((ids): Grant => ({ kind: 'ids', ids })) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('some' as const),
      ids: userIds,
      groupIds,
      appIds,
      appNames,
      allBut: fc.array(exclusion, { maxLength: 2 }),
    }),
  },
);

test('of users', async () => {
  await fc.assert(
    fc.asyncProperty(grants, async (grant) => {
      const { db } = service.application;
      const { rows } = await sql<{ id: string }>`select u.id from users u where u.org_id = ${org.id}
        and ${usersWithin(org.id, grant, sql`u.id`)}`.execute(db);
      const expected = [...users].filter(([id, joined]) => covers(grant, { id, groupIds: joined })).map(([id]) => id);
      expect(rows.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
      expect([...(await coveredUsers(db, org.id, grant, [...users.keys()]))].toSorted()).toEqual(expected.toSorted());
      const [first = ''] = users.keys();
      expect(await coversUser(db, org.id, grant, first)).toBe(expected.includes(first));
    }),
    { numRuns: rounds(150) },
  );
});

test('of groups and apps', async () => {
  await fc.assert(
    fc.asyncProperty(grants, async (grant) => {
      const { db } = service.application;
      const inSql = await sql<{ id: string }>`select g.id from groups g where g.org_id = ${org.id}
        and g.type = 'NATIVE_GROUP' and ${groupsWithin(grant, sql`g.id`)}`.execute(db);
      const expected = groups.filter((id) => covers(grant, { id, groupIds: [id] }));
      expect(inSql.rows.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
      const appsInSql = await sql<{ id: string }>`select a.id from apps a where a.org_id = ${org.id}
        and ${appsWithin(grant, sql`a.id`, sql`a.document ->> 'name'`)}`.execute(db);
      const expectedApps = apps.filter((id) => covers(grant, { id, appName: 'oidc_client' }));
      expect(appsInSql.rows.map(({ id }) => id).toSorted()).toEqual(expectedApps.toSorted());
    }),
    { numRuns: rounds(100) },
  );
});
