import { type Db, run } from '../../platform/postgres/index.ts';
import type { AccessActions, AccessConditions } from './conditions/access-rules.ts';

export interface AskedAccessRule {
  readonly subdomain: string;
  readonly orgId: string;
  readonly policyId: string;
  readonly policyName: string;
  readonly isDefault: boolean;
  readonly ruleName: string;
  readonly conditions: AccessConditions | null;
  readonly actions: AccessActions;
}

export function readAskedAccessRules(db: Db, limit: number): Promise<AskedAccessRule[]> {
  const text = `select o.subdomain, o.id as "orgId", p.id as "policyId", p.name as "policyName",
      p.system as "isDefault", r.name as "ruleName", r.conditions, r.actions
    from policies p join policy_rules r on r.org_id = p.org_id and r.policy_id = p.id
      join orgs o on o.id = p.org_id
    where p.type = 'ACCESS_POLICY' and p.status = 'ACTIVE' and r.status = 'ACTIVE'
    order by o.subdomain, p.priority, r.priority limit $1`;
  return run<AskedAccessRule>(db, text, [limit]);
}

/** The default policy also applies to apps that are mapped to no active access policy (ADR 0053). */
export async function readAppsUnder(
  db: Db,
  { isDefault, orgId, policyId }: Pick<AskedAccessRule, 'isDefault' | 'orgId' | 'policyId'>,
  limit: number,
): Promise<readonly string[]> {
  const text = `select a.label from apps a
      left join (app_policies m
          join policies p on p.org_id = m.org_id and p.id = m.policy_id and p.status = 'ACTIVE')
        on m.org_id = a.org_id and m.app_id = a.id and m.type = 'ACCESS_POLICY'
    where a.org_id = $1 and a.status = 'ACTIVE' and a.sign_on_mode = 'OPENID_CONNECT'
      and (m.policy_id = $2 or ($3 and m.policy_id is null))
    order by a.label, a.id limit $4`;
  return (await run<{ label: string }>(db, text, [orgId, policyId, isDefault, limit])).map(({ label }) => label);
}
