import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';

export const APP_POLICY_TYPES = ['ACCESS_POLICY', 'PROFILE_ENROLLMENT'] as const;
export type AppPolicyType = (typeof APP_POLICY_TYPES)[number];

export const isAppPolicyType = (type: string): type is AppPolicyType =>
  (APP_POLICY_TYPES as readonly string[]).includes(type);

interface Row {
  readonly appId: AppId;
  readonly type: AppPolicyType;
  readonly policyId: string;
}

/**
 * An SQL expression for the id of the access policy of the app `a`, or null if the default policy applies. The
 * statement's first parameter is the org.
 */
export const ACCESS_POLICY_OF_APP = `(select ap.policy_id from app_policies ap
    where ap.org_id = $1 and ap.app_id = a.id and ap.type = 'ACCESS_POLICY')`;

export async function findAppPoliciesOf(
  db: Db,
  orgId: OrgId,
  appIds: readonly AppId[],
): Promise<ReadonlyMap<string, ReadonlyMap<AppPolicyType, string>>> {
  const text = `select app_id as "appId", type, policy_id as "policyId" from app_policies
    where org_id = $1 and app_id = any($2)`;
  const found = new Map<string, Map<AppPolicyType, string>>();
  for (const { appId, type, policyId } of await run<Row>(db, text, [orgId, appIds])) {
    found.set(appId, (found.get(appId) ?? new Map<AppPolicyType, string>()).set(type, policyId));
  }
  return found;
}

/** Returns null if the default policy of the type applies. */
export async function findAppPolicy(db: Db, orgId: OrgId, appId: AppId, type: AppPolicyType): Promise<string | null> {
  return (await findAppPoliciesOf(db, orgId, [appId])).get(appId)?.get(type) ?? null;
}

/** Replaces the app's former policy of the same type. Needs the lock on the app's row. */
export async function setAppPolicy(
  tx: Tx,
  orgId: OrgId,
  appId: AppId,
  type: AppPolicyType,
  policyId: string,
): Promise<void> {
  const text = `insert into app_policies (org_id, app_id, type, policy_id) values ($1, $2, $3, $4)
    on conflict (org_id, app_id, type) do update set policy_id = excluded.policy_id
      where app_policies.org_id = excluded.org_id`;
  await prepared(tx, 'app_policy_set', text, [orgId, appId, type, policyId]);
}

/** Returns false if the app was not under the policy. */
export async function removeAppPolicy(tx: Tx, orgId: OrgId, appId: AppId, policyId: string): Promise<boolean> {
  const text = 'delete from app_policies where org_id = $1 and app_id = $2 and policy_id = $3 returning type';
  return (await prepared(tx, 'app_policy_delete', text, [orgId, appId, policyId])).length > 0;
}

/** Raises the revisions of the apps under a policy that will be deleted, because apps are shown with their policies. */
export async function raiseRevisionsUnder(tx: Tx, orgId: OrgId, policyId: string): Promise<void> {
  const text = `update apps set revision = revision + 1 where org_id = $1 and id in (
      select app_id from app_policies where org_id = $1 and policy_id = $2)`;
  await run(tx, text, [orgId, policyId]);
}

export async function findAppsOfPolicy(
  db: Db,
  orgId: OrgId,
  policyId: string,
  page: { readonly after: string | null; readonly limit: number },
): Promise<readonly string[]> {
  const text = `select app_id as "appId" from app_policies
    where org_id = $1 and policy_id = $2 and app_id > $3 order by app_id limit $4`;
  const rows = await run<Row>(db, text, [orgId, policyId, page.after ?? '', page.limit]);
  return rows.map(({ appId }) => appId);
}
