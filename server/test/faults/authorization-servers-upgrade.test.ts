import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SERVER, namesAt } from '../support/authorization-servers.ts';
import { until } from '../support/hook-receiver.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

// This file tests orgs without a default authorization server. Versions before migration 0025 created such orgs.

const { service, org } = useService({ isShared: false });

const read = async (text: string, values: readonly unknown[]) =>
  (await service.database.pool.query<Record<string, unknown>>(text, [...values])).rows;

const IDS = `id ~ ('^' || $2 || '[0-9A-Za-z]{14}' || right(org_id, 3) || '$') as well_formed`;

async function defaultOf({ id }: TestOrg): Promise<Record<string, unknown>> {
  const servers = `select name, description, audiences, issuer_mode, status, is_default, rotation_mode, revision, ${IDS}
    from authorization_servers where org_id = $1`;
  const scopes = `select name, display_name, description, is_system, metadata_publish, consent, is_optional, is_default,
    revision, ${IDS} from authorization_server_scopes where org_id = $1 order by name`;
  const claims = `select name, status, claim_type, value_type, value, group_filter_type, scopes, always_include,
    is_system, revision, ${IDS} from authorization_server_claims where org_id = $1 order by claim_type, name`;
  const policies = `select name, description, priority, status, is_system, clients, revision, ${IDS}
    from authorization_server_policies where org_id = $1`;
  const rules = `select name, priority, status, is_system, conditions, access_token_lifetime_minutes,
    refresh_token_lifetime_minutes, refresh_token_window_minutes, revision, ${IDS}
    from authorization_server_rules where org_id = $1`;
  return {
    servers: await read(servers, [id, 'aus']),
    scopes: await read(scopes, [id, 'scp']),
    claims: await read(claims, [id, 'ocl']),
    policies: await read(policies, [id, '00p']),
    rules: await read(rules, [id, '0pr']),
  };
}

const forget = ({ id }: TestOrg) => read('delete from authorization_servers where org_id = $1', [id]);

describe('an org of before', () => {
  test('gets by the migration what a new org gets', async () => {
    const made = await defaultOf(org);
    expect(Object.values(made).map((rows) => (rows as unknown[]).length)).toEqual([1, 7, 19, 1, 1]);
    for (const row of Object.values(made).flat()) expect(row).toMatchObject({ well_formed: true, revision: 1 });
    await forget(org);
    const file = new URL('../../migrations/0025_authorization_servers.sql', import.meta.url);
    const text = await readFile(file, 'utf8');
    await service.database.pool.query(text.slice(text.indexOf('-- Orgs made before')));
    expect(await defaultOf(org)).toEqual(made);
    expect(await namesAt(org, `${DEFAULT_SERVER}/policies`)).toEqual(['Default Policy']);
  });

  test('made beside this version gets it from the job, once', async () => {
    const [own, kept] = [await service.newOrg(), await service.newOrg()];
    const made = await defaultOf(own);
    const unsigned = async ({ admin }: TestOrg) => ({ ...(await admin.get(DEFAULT_SERVER)).body, credentials: null });
    const before = await unsigned(kept);
    await forget(own);
    expect((await own.admin.get(DEFAULT_SERVER)).status).toBe(404);
    service.clock.advance(60_000);
    service.application.jobs.wake();
    await until('the job completed the org', async () => (await own.admin.get(DEFAULT_SERVER)).status === 200);
    expect(await defaultOf(own)).toEqual(made);
    expect(await unsigned(kept)).toEqual(before);
  });
});
