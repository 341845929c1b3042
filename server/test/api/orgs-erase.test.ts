import { expect, test } from 'vitest';
import { toOrgId } from '../../src/kernel/words/ids.ts';
import { namespaceOf } from '../../src/kernel/words/namespace.ts';
import { type Deleted, deleteRows, findOrgTables } from '../../src/management/orgs/changes/deletion-store.ts';
import { beginOrgDeletion, eraseOrg, orgJobs } from '../../src/management/orgs/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { newProfile } from '../support/users.ts';

// A deletion ends only some time after the closure. To avoid the wait, these tests move the closure into the past. In
// `test/scale/orgs-delete.test.ts`, running processes delete orgs, with real waits.

type OrgDeletion = Awaited<ReturnType<typeof beginOrgDeletion>>;

const { service, org } = useService({ isShared: false });

const namespace = namespaceOf('svc');
const contextOf = (of: TestOrg) => systemContext({ orgId: of.id, namespace, name: 'test', now: service.clock.now() });
const begin = (of: TestOrg) => beginOrgDeletion(service.application, contextOf(org), of.id);
const erase = (deletion: OrgDeletion, signal = new AbortController().signal) =>
  eraseOrg(service.application, deletion, { clock: service.clock, namespace }, signal);

async function newOrgWithUsers(): Promise<TestOrg> {
  const made = await service.newOrg();
  for (let index = 0; index < 3; index += 1)
    expect(await made.admin.post('/api/v1/users?activate=false', { body: { profile: newProfile() } })).toMatchObject({
      status: 200,
    });
  return made;
}

const earlier = ({ closedAt, orgId }: OrgDeletion, seconds: number): OrgDeletion => ({
  orgId,
  closedAt: new Date(closedAt.getTime() - seconds * 1_000),
});

async function countOf(table: 'orgs' | 'users', id: string): Promise<number> {
  const column = table === 'orgs' ? 'id' : 'org_id';
  const { rows } = await service.database.pool.query<{ count: number }>(
    `select count(*)::integer as count from ${table} where ${column} = $1`,
    [id],
  );
  return rows[0]?.count ?? -1;
}

const deletionsOf = async ({ id }: TestOrg, eventType: string): Promise<unknown[]> =>
  (await org.systemLog(`eventType eq "${eventType}"`)).filter((event: { target: { id: string }[] }) =>
    event.target.some((target) => target.id === id),
  );

test('a closed org is deleted with its rows once nobody can write any, and the log says so once', async () => {
  const gone = await newOrgWithUsers();
  const deletion = earlier(await begin(gone), 60);
  expect(await erase(deletion)).toBe(true);
  expect([await countOf('orgs', gone.id), await countOf('users', gone.id)]).toEqual([0, 0]);
  expect(await erase(deletion)).toBe(true);
  expect(await deletionsOf(gone, 'account.org.delete.request')).toHaveLength(1);
  expect(await deletionsOf(gone, 'system.org.lifecycle.delete')).toHaveLength(1);
});

test('a deletion that is asked for twice is recorded once', async () => {
  const gone = await newOrgWithUsers();
  await begin(gone);
  await begin(gone);
  expect(await deletionsOf(gone, 'account.org.delete.request')).toHaveLength(1);
});

test('the org of the log and an unknown org are refused, and stay', async () => {
  await expect(begin(org)).rejects.toMatchObject({ code: 'E0000001' });
  await expect(beginOrgDeletion(service.application, contextOf(org), toOrgId('00ounknown'))).rejects.toMatchObject({
    code: 'E0000007',
  });
  expect(await countOf('orgs', org.id)).toBe(1);
});

test('an aborted deletion keeps the rows, waits for late writers, and can be continued', async () => {
  const gone = await newOrgWithUsers();
  const deletion = await begin(gone);
  expect(await erase(deletion, AbortSignal.abort())).toBe(false);
  expect(await countOf('users', gone.id)).toBe(4);
  const stopping = new AbortController();
  // Requests may still be under way, so the org stays although its rows are gone.
  const erasing = erase(deletion, stopping.signal);
  await expect.poll(() => countOf('users', gone.id)).toBe(0);
  stopping.abort();
  expect(await erasing).toBe(false);
  expect(await countOf('orgs', gone.id)).toBe(1);
  expect(await erase(earlier(deletion, 60))).toBe(true);
  expect(await countOf('orgs', gone.id)).toBe(0);
});

test('the job runs again until late rows cannot come any more, and refuses a payload without the org', async () => {
  const gone = await newOrgWithUsers();
  const deletion = await begin(gone);
  const now = service.clock.now();
  const [kind] = Object.values(orgJobs({ ...service.application, clock: { now: () => now }, namespace }));
  const runAt = ({ closedAt, orgId }: OrgDeletion, signal = new AbortController().signal) => {
    const payload = { orgId, closedAt: closedAt.toISOString() };
    return kind?.run({ orgId, id: 1, kind: 'orgs.delete', payload, attempt: 1, signal, isHeld: () => true });
  };
  expect(await runAt(deletion, AbortSignal.abort())).toEqual({ runAgainAt: now });
  expect(await runAt(earlier(deletion, 60))).toEqual({
    runAgainAt: new Date(now.getTime() + 120_000),
  });
  expect(await runAt(earlier(deletion, 180))).toBeUndefined();
  const { signal } = new AbortController();
  await expect(
    kind?.run({ orgId: gone.id, id: 1, kind: 'orgs.delete', payload: {}, attempt: 1, signal, isHeld: () => true }),
  ).rejects.toThrow('the job has no orgId');
});

test('rows are deleted in batches in the order of their keys, except those of jobs that run', async () => {
  const gone = await newOrgWithUsers();
  // The job of a deletion could delete the rows first, so there is none.
  await service.database.pool.query(`update orgs set status = 'INACTIVE' where id = $1`, [gone.id]);
  const { db } = service.application;
  await service.database.pool.query(
    `insert into jobs (org_id, kind, run_at, lease_until) values
       ($1, 'waiting', now(), null), ($1, 'running', now(), now() + interval '1 hour')`,
    [gone.id],
  );
  const deletedFrom = new Map<string, number[]>();
  for (const table of await findOrgTables(db)) {
    const batches: number[] = [];
    let place: readonly string[] | null = null;
    do {
      const deleted: Deleted = await deleteRows(db, gone.id, table, place, 3);
      batches.push(deleted.rows);
      place = deleted.place;
    } while (place !== null);
    deletedFrom.set(table.name, batches);
  }
  expect(deletedFrom.get('users')).toEqual([3, 1]);
  // The key has three columns. Both built-in groups have three rows.
  expect(deletedFrom.get('group_attribute_values')).toEqual([3, 3, 0]);
  expect(deletedFrom.get('log_heads')).toEqual([1]);
  const { rows } = await service.database.pool.query('select kind from jobs where org_id = $1', [gone.id]);
  expect(rows).toEqual([{ kind: 'running' }]);
});

test('a deletion that goes on late leaves an org as it is that was imported again meanwhile', async () => {
  const gone = await newOrgWithUsers();
  const deletion = earlier(await begin(gone), 60);
  await service.database.pool.query(`update orgs set status = 'ACTIVE' where id = $1`, [gone.id]);
  const users = { name: 'users', key: [{ name: 'id', type: 'text' }] };
  expect(await deleteRows(service.application.db, gone.id, users, null, 10)).toEqual({ rows: 0, place: null });
  expect(await erase(deletion)).toBe(true);
  expect([await countOf('orgs', gone.id), await countOf('users', gone.id)]).toEqual([1, 4]);
  expect(await deletionsOf(gone, 'system.org.lifecycle.delete')).toEqual([]);
});
