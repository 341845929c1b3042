import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { OfApp } from '../store.ts';
import type { Csr } from './csr.ts';

const COLUMNS = columns<Csr, Csr & OfApp>('app_csrs', {
  appId: { is: 'key', reads: null },
  id: 'key',
  request: 'fixed',
  sealedKey: 'fixed',
  createdAt: 'fixed',
});
const INSERT = COLUMNS.insert();

export function findCsrs(db: Db, orgId: OrgId, appId: AppId): Promise<Csr[]> {
  const text = `select ${COLUMNS.select()} from app_csrs
    where org_id = $1 and app_id = $2 order by created_at, id`;
  return prepared<Csr>(db, 'app_csrs', text, [orgId, appId]);
}

export async function insertCsr(tx: Tx, orgId: OrgId, appId: AppId, csr: Csr): Promise<void> {
  await prepared(tx, 'app_csr_insert', INSERT.text, INSERT.values(orgId, { ...csr, appId }));
}

export async function removeCsr(tx: Tx, orgId: OrgId, appId: AppId, id: string): Promise<void> {
  await prepared(tx, 'app_csr_delete', `delete from app_csrs where ${COLUMNS.isKey}`, [orgId, appId, id]);
}
