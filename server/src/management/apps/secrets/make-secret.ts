import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { type AppId, newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import { hashSecret, type MasterKey, seal } from '../../../platform/crypto/index.ts';
import { newSecret } from '../../../platform/crypto/secrets.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { AppStatus } from '../lifecycle.ts';
import { insertSecret } from './secret-store.ts';
import { type StoredSecret, secretPlace } from './secret-stored.ts';

const SECRET_CHARACTERS = 64;

export interface MadeSecret {
  readonly id: string;
  readonly secret: string;
  readonly stored: StoredSecret;
}

/** Stores the given secret, which the caller has validated, or a new one. */
export async function makeClientSecret(
  tx: Tx,
  masterKey: MasterKey,
  context: Context,
  appId: AppId,
  given?: string,
  status: AppStatus = 'ACTIVE',
): Promise<MadeSecret> {
  const { orgId } = context;
  const id = newId('clientSecret', orgSuffixOf(orgId));
  const secret = given ?? newSecret(SECRET_CHARACTERS);
  const now = wholeSecond(context.now);
  const stored = {
    id,
    sealedSecret: seal(masterKey, secretPlace(orgId, appId, id), secret),
    secretHash: hashSecret(secret),
    status,
    createdAt: now,
    lastUpdatedAt: now,
    revision: FIRST_REVISION,
  };
  await insertSecret(tx, orgId, appId, stored);
  return { id, secret, stored };
}
