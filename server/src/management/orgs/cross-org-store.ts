import type { OrgId } from '../../kernel/words/ids.ts';
import { type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import type { HostLookup } from './addresses/addresses.ts';

/** `value` is a CIDR range, one address, or the first and last address. */
export interface ProxyAddress {
  readonly type: 'CIDR' | 'RANGE';
  readonly value: string;
}

export interface EdgeOrgRow {
  readonly id: string;
  readonly subdomain: string;
  readonly isDefault: boolean;
  readonly companyName: string;
  readonly settings: unknown;
  readonly trustedProxies: readonly string[];
  /** The proxies of the org's active IP zones for policies. */
  readonly zoneProxies: readonly ProxyAddress[];
  readonly corsOrigins: readonly string[];
}

const EDGE_ORG = `select o.id, o.subdomain, o.company_name as "companyName", o.settings,
    array(select p.cidr from org_trusted_proxies p where p.org_id = $1 limit 1000) as "trustedProxies",
    coalesce((select jsonb_agg(p.proxy) from (
      select proxy from network_zones z
        cross join lateral jsonb_path_query(z.document, '$.proxies[*] ? (exists (@.value))') as proxy
      where z.org_id = $1 and z.type = 'IP' and z.usage = 'POLICY' and z.status = 'ACTIVE' limit 1000) p), '[]')
      as "zoneProxies",
    array(select t.origin from trusted_origins t where t.org_id = $1 and t.status = 'ACTIVE'
      and t.scopes @> '[{"type": "CORS"}]' limit 1000) as "corsOrigins"
  from orgs o where o.status = 'ACTIVE' and o.id = $1`;

const DEFAULT_ORG = 'default_org_id';

const FIND_ID = {
  subdomain: 'select id from orgs where subdomain = $1',
  domain: 'select org_id as id from org_domains where domain = $1',
  default: 'select value as id from installation where name = $1',
} as const;

/** First finds the org's id, so that the rest is read from the one shard of a Citus cluster that holds the org. */
export async function findEdgeOrgByHost(db: Db, lookup: HostLookup): Promise<EdgeOrgRow | null> {
  const name = lookup.by === 'default' ? DEFAULT_ORG : lookup.name;
  const [row] = await prepared<{ id: string }>(db, `edge_org_by_${lookup.by}`, FIND_ID[lookup.by], [name]);
  return row === undefined ? null : findEdgeOrg(db, row.id);
}

export async function findEdgeOrg(db: Db, orgId: string): Promise<EdgeOrgRow | null> {
  const [[org], defaultOrgId] = await Promise.all([
    prepared<Omit<EdgeOrgRow, 'isDefault'>>(db, 'edge_org', EDGE_ORG, [orgId]),
    findDefaultOrgId(db),
  ]);
  return org === undefined ? null : { ...org, isDefault: org.id === defaultOrgId };
}

/** Does nothing if there is already a default org. */
export async function becomeDefaultOrg(tx: Tx, orgId: OrgId): Promise<void> {
  const text = 'insert into installation (name, value) values ($1, $2) on conflict (name) do nothing';
  await run(tx, text, [DEFAULT_ORG, orgId]);
}

export interface OrgSummary {
  readonly id: OrgId;
  readonly subdomain: string;
  readonly companyName: string;
  readonly status: string;
  readonly createdAt: Date;
}

export async function findOrgIdBySubdomain(db: Db, subdomain: string): Promise<OrgId | null> {
  const [row] = await run<{ id: OrgId }>(db, 'select id from orgs where subdomain = $1', [subdomain]);
  return row?.id ?? null;
}

export function readOrgs(db: Db, after: string, rows: number): Promise<OrgSummary[]> {
  const text = `select id, subdomain, company_name as "companyName", status, created_at as "createdAt" from orgs
    where subdomain > $1 order by subdomain limit $2`;
  return run<OrgSummary>(db, text, [after, rows]);
}

/** The log of the default org records the deletion of other orgs. */
export async function findDefaultOrgId(db: Db): Promise<OrgId | null> {
  const [row] = await run<{ value: OrgId }>(db, 'select value from installation where name = $1', [DEFAULT_ORG]);
  return row?.value ?? null;
}

/** Finds orgs that an older release created incompletely. */
export async function findIncompleteOrgs(db: Db, limit: number): Promise<OrgId[]> {
  const text = `select o.id from orgs o left join (
      select g.org_id from groups g join authorization_servers s on s.org_id = g.org_id
      where g.type = 'BUILT_IN' and s.is_default) complete on complete.org_id = o.id
    where o.status = 'ACTIVE' and complete.org_id is null order by o.id limit $1::integer`;
  return (await run<{ id: OrgId }>(db, text, [limit])).map(({ id }) => id);
}
