import { type OrgId, toOrgId } from '../../kernel/words/ids.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { OrgProfile } from './rules.ts';

export interface Org {
  readonly id: OrgId;
  readonly subdomain: string;
  readonly status: 'ACTIVE' | 'INACTIVE';
  readonly companyName: string;
  readonly profile: OrgProfile;
  /** Stored form; `readOrgSettings` returns the effective settings. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

/** Columns in the spelling of Org, so that a row needs no mapping. */
const COLUMNS = `id, subdomain, status, company_name as "companyName", profile, settings,
  created_at as "createdAt", last_updated_at as "lastUpdatedAt", revision`;

const branded = (row: Org | undefined): Org | undefined =>
  row === undefined ? undefined : { ...row, id: toOrgId(row.id) };

export async function findOrg(db: Db, orgId: OrgId): Promise<Org | undefined> {
  const [row] = await prepared<Org>(db, 'org_by_id', `select ${COLUMNS} from orgs where id = $1`, [orgId]);
  return branded(row);
}

/** Locks the row, so that a merge starts from the state that it replaces. */
export async function findOrgForUpdate(tx: Tx, orgId: OrgId): Promise<Org | undefined> {
  const text = `select ${COLUMNS} from orgs where id = $1 for update`;
  const [row] = await prepared<Org>(tx, 'org_for_update', text, [orgId]);
  return branded(row);
}

export async function insertOrg(tx: Tx, org: Org): Promise<void> {
  const text = `insert into orgs (id, subdomain, status, company_name, profile, settings, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`;
  await prepared(tx, 'org_insert', text, [
    org.id,
    org.subdomain,
    org.status,
    org.companyName,
    JSON.stringify(org.profile),
    JSON.stringify(org.settings),
    org.createdAt,
    org.lastUpdatedAt,
  ]);
}

export async function updateOrg(tx: Tx, org: Org): Promise<void> {
  const text = `update orgs set subdomain = $2, company_name = $3, profile = $4, settings = $5, last_updated_at = $6,
      revision = revision + 1
    where id = $1`;
  await prepared(tx, 'org_update', text, [
    org.id,
    org.subdomain,
    org.companyName,
    JSON.stringify(org.profile),
    JSON.stringify(org.settings),
    org.lastUpdatedAt,
  ]);
}

export async function insertDomain(tx: Tx, orgId: OrgId, domain: string, now: Date): Promise<void> {
  const text = 'insert into org_domains (org_id, domain, created_at) values ($1, $2, $3)';
  await prepared(tx, 'org_domain_insert', text, [orgId, domain, now]);
}

export async function insertTrustedProxy(tx: Tx, orgId: OrgId, cidr: string, now: Date): Promise<void> {
  const text = 'insert into org_trusted_proxies (org_id, cidr, created_at) values ($1, $2, $3)';
  await prepared(tx, 'org_trusted_proxy_insert', text, [orgId, cidr, now]);
}
