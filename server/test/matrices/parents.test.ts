import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { CONSTRAINT_ERRORS } from '../../src/app/constraints.ts';
import { ApiError } from '../../src/kernel/errors/errors.ts';
import { asApiError, FOREIGN_KEYS, type ParentTable } from '../../src/platform/postgres/index.ts';
import { LOCK_WAITS } from '../support/citus.ts';
import { useService } from '../support/use-service.ts';
import type { Prepared } from './parent-race.ts';
import { RACES_OF_OBJECTS } from './parent-races-objects.ts';
import { RACES_OF_PEOPLE } from './parent-races-people.ts';

// This file tests that no child can be created for a parent that is being deleted. The refusal must not be a 500.

const { service, org } = useService();

/** Parents that need no race, each with the reason. */
const NOT_RACED: Partial<Record<ParentTable, string>> = {
  orgs: 'an org is deleted by the operator, when it has been shut',
  client_ids: 'an id that was chosen for a client is never free again',
  log_sinks: 'what hangs on a sink is written by the job that delivers, under the lock of the sink',
  user_imports: 'an import and its batches belong to one command of the operator',
  theme_images: 'images are stored and named in one transaction, and removed when no theme names them',
  refresh_tokens: 'a family is locked while another one is begun for a token of it',
  sessions: 'what hangs on a session is written under its lock',
  user_role_assignments: 'targets are written under the lock of the assignment',
  group_role_assignments: 'targets are written under the lock of the assignment',
  client_role_assignments: 'targets are written under the lock of the assignment',
  role_bindings: 'members are written under the lock of the binding',
  authorization_server_scopes: 'consents are written under the locks of all that they name (lock-parents)',
  group_rules: 'exclusions are written with the rule',
};
/** Foreign keys that need no race although their parents are raced, each with the reason. */
const UNDER_A_LOCK: Readonly<Record<string, string>> = {
  api_tokens_user_id_fkey: 'the operator makes the first tokens',
  app_key_sets_app_id_fkey: 'fetched key sets are kept beside the answer, and lost with the app',
  app_logos_app_id_fkey: 'uploads lock the app',
  app_provisioning_app_id_fkey: 'connections lock the app',
  authorization_codes_client_id_fkey: 'lock-parents',
  authorization_codes_user_id_fkey: 'lock-parents',
  authorization_requests_client_id_fkey: 'lock-parents',
  group_rule_members_group_id_fkey: 'passes of rules lock what they fill',
  group_rule_members_user_id_fkey: 'passes of rules lock what they fill',
  groups_source_id_fkey: 'groups of apps come from imports of the operator',
  linked_object_names_primary_name_fkey: 'names are written with their definition',
  polled_requests_asked_user_id_fkey: 'lock-parents',
  polled_requests_client_id_fkey: 'lock-parents',
  polled_requests_user_id_fkey: 'lock-parents',
  profile_mappings_user_type_id_fkey: 'mappings lock both of their sides',
  refresh_tokens_client_id_fkey: 'lock-parents',
  refresh_tokens_user_id_fkey: 'lock-parents',
  token_subjects_user_id_fkey: 'lock-parents',
  session_clients_client_id_fkey: 'lock-parents',
  used_assertions_client_id_fkey: 'lock-parents',
  user_consents_client_id_fkey: 'lock-parents',
  user_consents_user_id_fkey: 'lock-parents',
};

const PARENT_RACES = [...RACES_OF_PEOPLE, ...RACES_OF_OBJECTS];
const KEYS = Object.entries(FOREIGN_KEYS);

test('every foreign key has a word for its violation', () => {
  expect(KEYS.length).toBeGreaterThan(100);
  for (const [constraint] of KEYS) {
    const answer = asApiError({ code: '23503', constraint }, CONSTRAINT_ERRORS);
    expect(answer, constraint).toBeInstanceOf(ApiError);
    expect([400, 404], constraint).toContain((answer as ApiError).status);
  }
});

test('every foreign key is raced, or it is said why it need not be', () => {
  const raced = new Set(PARENT_RACES.flatMap(({ keys }) => keys));
  const known = (name: string, parent: ParentTable): boolean =>
    raced.has(name) || NOT_RACED[parent] !== undefined || UNDER_A_LOCK[name] !== undefined;
  expect(KEYS.filter(([name, parent]) => !known(name, parent)).map(([name]) => name)).toEqual([]);
  const names = new Set(KEYS.map(([name]) => name));
  expect([...raced, ...Object.keys(UNDER_A_LOCK)].filter((name) => !names.has(name))).toEqual([]);
  expect(Object.keys(UNDER_A_LOCK).filter((name) => raced.has(name))).toEqual([]);
});

/** Commits the parent's deletion once the request for the child waits for a lock or has been answered. */
async function race({ column = 'id', id, parent, send }: Prepared) {
  const deleting = await service.database.pool.connect();
  try {
    await deleting.query('begin');
    const gone = await deleting.query(`delete from ${parent} where org_id = $1 and ${column} = $2`, [org.id, id]);
    expect(gone.rowCount).toBe(1);
    const request = { isAnswered: false };
    const answer = send().finally(() => {
      request.isAnswered = true;
    });
    for (let tries = 0; tries < 600 && !request.isAnswered; tries += 1) {
      const { rows } = await service.database.pool.query<{ waiting: number }>(LOCK_WAITS);
      if ((rows[0]?.waiting ?? 0) > 0) break;
      await delay(5);
    }
    await deleting.query('commit');
    return await answer;
  } finally {
    deleting.release(true);
  }
}

describe('a parent that is deleted while a child is put to it', () => {
  test.each(PARENT_RACES.map((one) => [one.keys.join(', '), one] as const))('%s', async (_, given) => {
    const answer = await race(await given.prepare(org));
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    expect(answer.status, answer.text).toBeLessThan(500);
    expect(answer.body.errorCode, answer.text).toMatch(/^E0/);
  });
});
