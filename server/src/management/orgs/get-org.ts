import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { findOrg, type Org } from './store.ts';

export async function getOrg(db: Db, context: Context): Promise<Org> {
  const org = await findOrg(db, context.orgId);
  if (org === undefined) throw notFound(context.orgId, 'Organization');
  return org;
}

export async function findOrgName(db: Db, orgId: OrgId): Promise<string> {
  const org = await findOrg(db, orgId);
  if (org === undefined) throw notFound(orgId, 'Organization');
  return org.companyName;
}
