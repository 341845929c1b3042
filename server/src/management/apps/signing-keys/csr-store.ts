import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { Csr } from './csr.ts';

/** Columns in the spelling of Csr, so that a row needs no mapping. */
const COLUMNS = `id, request, sealed_key as "sealedKey", created_at as "createdAt"`;

/** Finds every certificate request of an app, oldest first. */
export function findCsrs(db: Db, orgId: OrgId, appId: AppId): Promise<Csr[]> {
  const text = `select ${COLUMNS} from app_csrs where org_id = $1 and app_id = $2 order by created_at, id`;
  return prepared<Csr>(db, 'app_csrs', text, [orgId, appId]);
}

export async function insertCsr(tx: Tx, orgId: OrgId, appId: AppId, csr: Csr): Promise<void> {
  const text = `insert into app_csrs (org_id, app_id, id, request, sealed_key, created_at)
    values ($1, $2, $3, $4, $5, $6)`;
  const { createdAt, id, request, sealedKey } = csr;
  await prepared(tx, 'app_csr_insert', text, [orgId, appId, id, request, sealedKey, createdAt]);
}

export async function removeCsr(tx: Tx, orgId: OrgId, appId: AppId, id: string): Promise<void> {
  const text = 'delete from app_csrs where org_id = $1 and app_id = $2 and id = $3';
  await prepared(tx, 'app_csr_delete', text, [orgId, appId, id]);
}
