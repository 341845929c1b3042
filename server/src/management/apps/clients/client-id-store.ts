import { valueKey } from '../../../kernel/texts/text.ts';
import type { ClientId, OrgId } from '../../../kernel/words/ids.ts';
import { prepared, type Tx } from '../../../platform/postgres/index.ts';
import { lockNames, subjectHashOf } from '../../users/index.ts';
import { clientIdKey, refuseClientId } from './client-id-rules.ts';

interface Holders {
  readonly isLogin: boolean;
  readonly isName: boolean;
}

/**
 * Call this after `lockNames`, as a separate statement, which sees everything that was committed while `lockNames`
 * waited.
 */
async function findHolders(tx: Tx, orgId: OrgId, clientId: ClientId): Promise<Holders> {
  const text = `select exists (select 1 from users where org_id = $1 and login_key = $2) as "isLogin",
      exists (select 1 from app_users n join apps a on a.org_id = n.org_id and a.id = n.app_id
          where n.org_id = $1 and n.user_name_key = $3 and a.sign_on_mode = 'OPENID_CONNECT')
        or exists (select 1 from token_subjects where org_id = $1 and subject_hash = $4) as "isName"`;
  const values = [orgId, clientIdKey(clientId), valueKey(clientId), subjectHashOf(clientId)];
  const [row] = await prepared<Holders>(tx, 'client_id_holders', text, values);
  if (row === undefined) throw new Error('a statement without a condition had no row');
  return row;
}

/** Claims a client id in the org for good. */
export async function claimClientId(tx: Tx, orgId: OrgId, clientId: ClientId, createdAt: Date): Promise<void> {
  const insert = `insert into client_ids (org_id, name_key, created_at) values ($1, $2, $3)
    on conflict (org_id, name_key) do nothing returning 1 as inserted`;
  const [, { isLogin, isName }, inserted] = await Promise.all([
    lockNames(tx, orgId, [clientId]),
    findHolders(tx, orgId, clientId),
    prepared(tx, 'client_id_insert', insert, [orgId, clientIdKey(clientId), createdAt]),
  ]);
  if (isLogin) throw refuseClientId('is the login of a user.');
  if (isName) throw refuseClientId('is the name of a user in an application.');
  if (inserted.length === 0) throw refuseClientId('is, or was, the id of another client of this org.');
}
