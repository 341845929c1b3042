import type { OrgId } from '../../../kernel/words/ids.ts';
import { columns, prepared, type Tx } from '../../../platform/postgres/index.ts';
import { resourceStore } from '../../resource/index.ts';
import type { StoredJwk } from './key-contract.ts';

export interface ProviderKey {
  readonly kid: string;
  readonly jwk: StoredJwk;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const COLUMNS = columns<ProviderKey>('identity_provider_keys', {
  kid: 'key',
  jwk: 'json',
  expiresAt: 'changes',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});

export const PROVIDER_KEYS = resourceStore('identity_provider_key', COLUMNS);

/** The lock prevents others from deleting or replacing the key. */
export async function findKeyForShare(tx: Tx, orgId: OrgId, kid: string): Promise<ProviderKey | undefined> {
  const text = `select ${COLUMNS.select()} from identity_provider_keys where org_id = $1 and kid = $2 for share`;
  const [row] = await prepared<ProviderKey>(tx, 'identity_provider_key_for_share', text, [orgId, kid]);
  return row;
}
