import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Ask,
  CARRIED_JOBS,
  exportOrg,
  importOrg,
  LEFT_OUT_JOBS,
  openOrgFile,
} from '../../src/directory-transfer/index.ts';
import { PURGED_AT_ONCE } from '../../src/management/schemas/changes/apply-changes.ts';
import { rotateSigningKey } from '../../src/oauth/index.ts';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { activeRule, changeRule, createRule, rulePath, rulesSettled } from '../support/group-rules.ts';
import { createGroup } from '../support/groups.ts';
import { makeTestKeyPair } from '../support/made-keys.ts';
import { resealedExport } from '../support/org-files.ts';
import { changeAttributes, defineAttributes } from '../support/schemas.ts';
import type { TestOrg, TestService } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const masterKey = masterKeyOf(Buffer.alloc(32, 7));
const PASSPHRASE = 'a long enough passphrase';
const DAY = 86_400_000;

const { service: from } = useService({ isShared: false });
const { service: to } = useService({ isShared: false });
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'transfer-jobs-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const contextOf = (service: TestService, orgId: TestOrg['id']) =>
  systemContext({ orgId, namespace: service.application.namespace, name: 'test', now: service.clock.now() });

async function exported(orgId: TestOrg['id'], passphrase: string | null): Promise<string> {
  const ask: Ask = async <Row>(text: string, values: readonly unknown[]) =>
    (await from.database.pool.query(text, [...values])).rows as readonly Row[];
  let text = '';
  for await (const piece of exportOrg({ ask, masterKey }, orgId, { hashes: true, passphrase })) text += piece.text;
  return text;
}

async function imported(orgId: TestOrg['id'], name: string, text: string, passphrase: string | null): Promise<void> {
  const path = join(directory, name);
  await writeFile(path, text);
  const ports = { work: to.application.work, masterKey, baseDomain: 'localhost' };
  await importOrg(ports, contextOf(to, orgId), await openOrgFile(path), {
    passphrase,
    subdomain: null,
    operator: 'test',
    progressed: () => undefined,
  });
}

async function rowsOf<Row extends object>(service: TestService, text: string, ...values: unknown[]): Promise<Row[]> {
  return (await service.database.pool.query<Row>(text, values)).rows;
}

const jobsOf = (service: TestService, orgId: string) =>
  rowsOf<{ kind: string }>(service, 'select kind, payload from jobs where org_id = $1 order by kind', orgId);

test('every kind of job is carried, or has its reason', () => {
  const { jobs, notices, sinks } = from.application;
  const kinds = { ...jobs.kinds, ...notices.kinds, ...sinks.kinds };
  const once = Object.keys(kinds).filter((name) => kinds[name]?.everyMilliseconds === undefined);
  const listed = [...CARRIED_JOBS, ...Object.keys(LEFT_OUT_JOBS)];
  expect(once.filter((name) => !listed.includes(name))).toEqual([]);
  // The test service has no mail server, so it has no job that sends emails.
  expect(listed.filter((name) => !once.includes(name))).toEqual(['mail.send']);
});

describe('an org that is exported in the middle of its work', () => {
  const org = beforeTests(() => from.newOrg());
  let text: string;
  let members: (groupId: string) => Promise<string[]>;
  const groups: Record<string, string> = {};

  beforeAll(async () => {
    for (const name of ['leaves', 'stays', 'judged']) groups[name] = (await createGroup(org, { name })).id;
    const { leaves = '', stays = '', judged = '' } = groups;
    const sales = 'user.department == "Sales"';
    const removed = await activeRule(from, org, [leaves], sales);
    const kept = await activeRule(from, org, [stays], sales);
    await org.createUser({ profile: { department: 'Sales' } });
    await defineAttributes(org, { badge: { title: 'Badge', type: 'string' } });
    await rotateSigningKey(
      { work: from.application.work, makeKeyPair: makeTestKeyPair, masterKey },
      contextOf(from, org.id),
      { atOnce: false },
    );
    // From here on, the exporting service runs no jobs.
    await from.application.jobs.stop();
    expect((await org.admin.del(`${rulePath(removed.id)}?removeUsers=true`)).status).toBe(202);
    expect((await org.admin.del(`${rulePath(kept.id)}?removeUsers=false`)).status).toBe(202);
    const late = await createRule(org, [judged], sales);
    await changeRule(org, late.id, 'activate');
    // The request that removes `badge` cleans up fewer users than have the attribute. A job cleans up the rest.
    await from.database.pool.query(
      `insert into users (org_id, id, type_id, status, login, login_key, short_login_key, normal_form_version, profile,
         provider_type, provider_name, has_password, created_at, last_updated_at)
       select u.org_id, '00uBulk' || lpad(n::text, 13, '0'), u.type_id, 'STAGED', 'b' || n, 'b' || n, 'b' || n, 1,
         jsonb_build_object('login', 'b' || n, 'badge', 'x'), 'INTERNAL', 'INTERNAL', false, now(), now()
       from users u, generate_series(1, $3::integer) n where u.org_id = $1 and u.id = $2`,
      [org.id, org.adminUserId, PURGED_AT_ONCE + 1],
    );
    expect((await changeAttributes(org, { badge: null })).status).toBe(200);
    text = await exported(org.id, PASSPHRASE);
    expect(await exported(org.id, PASSPHRASE)).toBe(text);
    members = async (groupId) =>
      (
        await rowsOf<{ id: string }>(
          to,
          `select user_id as id from group_members where org_id = $1 and group_id = $2 order by 1`,
          org.id,
          groupId,
        )
      ).map(({ id }) => id);
  });

  test('the work is done where it arrives', async () => {
    expect((await jobsOf(from, org.id)).map(({ kind }) => kind)).toEqual([
      'groupRules.evaluate',
      'groupRules.release',
      'groupRules.release',
      // These jobs belong to the org's own authorization server and to the default one.
      'oauth.rotateSigningKeys',
      'oauth.rotateSigningKeys',
      'purgeAttribute',
    ]);
    await imported(org.id, 'whole.ndjson', text, PASSPHRASE);
    await rulesSettled(to, org);
    const [user] = await members(groups['judged'] ?? '');
    expect(user).toBeDefined();
    expect(await members(groups['stays'] ?? '')).toEqual([user]);
    expect(await members(groups['leaves'] ?? '')).toEqual([]);
    expect(
      await rowsOf(
        to,
        'select 1 from group_rule_members where org_id = $1 and group_id <> $2',
        org.id,
        groups['judged'],
      ),
    ).toEqual([]);
  });

  test('a removed attribute is gone, and its name free', async () => {
    const leaving = async () =>
      rowsOf(to, `select 1 from user_types where org_id = $1 and leaving_attributes <> '[]'`, org.id);
    for (let tries = 0; tries < 600 && (await leaving()).length > 0; tries += 1) {
      to.clock.advance(1_000);
      to.application.jobs.wake();
      await delay(10);
    }
    expect(await leaving()).toEqual([]);
    expect(await rowsOf(to, `select 1 from users where org_id = $1 and profile ? 'badge' limit 1`, org.id)).toEqual([]);
  });

  test('its signing key gets a successor in time', async () => {
    const own = `select 1 from signing_keys where org_id = $1 and server_id = ''`;
    const keys = async () => (await rowsOf(to, own, org.id)).length;
    expect(await keys()).toBe(1);
    const waiting = `select 1 from jobs
      where org_id = $1 and kind = 'oauth.rotateSigningKeys' and dedupe_key = 'next' and run_at > $2`;
    for (let tries = 0; tries < 600; tries += 1) {
      if ((await rowsOf(to, waiting, org.id, to.clock.now())).length === 1) break;
      to.application.jobs.wake();
      await delay(10);
    }
    expect(await keys()).toBe(1);
    to.clock.advance(91 * DAY);
    for (let tries = 0; tries < 600 && (await keys()) === 1; tries += 1) {
      to.application.jobs.wake();
      await delay(10);
    }
    expect(await keys()).toBe(2);
  });

  test('a file brings no other kind of job, and none of another org', async () => {
    const lines = text.replaceAll(org.id, '00oCCCCCCCCCCCCCCCCC').trim().split('\n').slice(0, -1);
    const at = lines.findIndex((line) => line.startsWith('{"table":"jobs"'));
    const job = lines[at] ?? '';
    const changes = [
      job.replace(/"kind":"[^"]*"/, '"kind":"orgs.delete"'),
      job.replace('00oCCCCCCCCCCCCCCCCC', to.org.id),
    ];
    for (const changed of changes) {
      expect(changed).not.toBe(job);
      const name = `${changes.indexOf(changed)}.ndjson`;
      const file = resealedExport(lines.with(at, changed));
      const importing = imported(to.org.id, name, file, PASSPHRASE);
      await expect(importing).rejects.toThrow();
      expect(await rowsOf(to, 'select 1 from orgs where id = $1', '00oCCCCCCCCCCCCCCCCC')).toEqual([]);
    }
  });

  test('an org that is being deleted does not leave', async () => {
    await from.database.pool.query(`update orgs set status = 'INACTIVE' where id = $1`, [org.id]);
    await expect(exported(org.id, null)).rejects.toThrow('is being deleted');
    await from.database.pool.query(`update orgs set status = 'ACTIVE' where id = $1`, [org.id]);
  });

  test('its jobs travel without secrets too', async () => {
    const plain = await exported(org.id, null);
    expect(plain).not.toContain('"table":"signing_keys"');
    expect(plain).toContain('"kind":"oauth.rotateSigningKeys"');
  });
});
