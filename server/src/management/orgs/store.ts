import type { OrgId } from '../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { OrgProfile } from './rules.ts';

export interface Org {
  readonly id: OrgId;
  readonly subdomain: string;
  readonly status: 'ACTIVE' | 'INACTIVE';
  readonly companyName: string;
  readonly profile: OrgProfile;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const ORGS = columns<Org>(
  'orgs',
  {
    id: 'read',
    subdomain: 'changes',
    status: 'fixed',
    companyName: 'changes',
    profile: 'json',
    settings: 'json',
    createdAt: 'fixed',
    lastUpdatedAt: 'changes',
    revision: 'revision',
  },
  'id',
);
const COLUMNS = ORGS.select();
const INSERT = ORGS.insert();
const UPDATE = ORGS.update();

export async function findOrg(db: Db, orgId: OrgId): Promise<Org | undefined> {
  const [row] = await prepared<Org>(db, 'org_by_id', `select ${COLUMNS} from orgs where id = $1`, [orgId]);
  return row;
}

/** Locks the row, so that a caller who writes it back does not undo a concurrent change. */
export async function findOrgForUpdate(tx: Tx, orgId: OrgId): Promise<Org | undefined> {
  const text = `select ${COLUMNS} from orgs where id = $1 for update`;
  const [row] = await prepared<Org>(tx, 'org_for_update', text, [orgId]);
  return row;
}

export async function insertOrg(tx: Tx, org: Org): Promise<void> {
  await prepared(tx, 'org_insert', INSERT.text, INSERT.values(org.id, org));
}

export async function updateOrg(tx: Tx, org: Org): Promise<void> {
  await prepared(tx, 'org_update', UPDATE.text, UPDATE.values(org.id, org));
}

export async function insertDomain(tx: Tx, orgId: OrgId, domain: string, now: Date): Promise<void> {
  const text = 'insert into org_domains (org_id, domain, created_at) values ($1, $2, $3)';
  await prepared(tx, 'org_domain_insert', text, [orgId, domain, now]);
}

export async function insertTrustedProxy(tx: Tx, orgId: OrgId, cidr: string, now: Date): Promise<void> {
  const text = 'insert into org_trusted_proxies (org_id, cidr, created_at) values ($1, $2, $3)';
  await prepared(tx, 'org_trusted_proxy_insert', text, [orgId, cidr, now]);
}
