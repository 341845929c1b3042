import type { Context } from '../../../kernel/context.ts';
import { invalidObject } from '../../../kernel/errors/errors.ts';
import { type AppId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { lockClient } from '../changes/lock-app.ts';
import { assertMayProveClient } from '../clients/client-guard.ts';
import { raiseRevision } from '../store.ts';
import { appTarget } from '../target.ts';
import { newStoredKey } from './jwk-changes.ts';
import { isEncryptionKey, MAXIMUM_KEYS, readJwk } from './jwk-rules.ts';
import { findInlineKeys, insertKey } from './jwk-store.ts';
import { keyChange, type StoredKey } from './jwk-stored.ts';

const refuse = (cause: string) => invalidObject('JsonWebKey', [cause]);

// The contract defines this text.
const KIDS_MISSING =
  'Each key should have a unique kid when adding multiple keys. Use the Apps API to update the JWKS to add a kid for ' +
  'the existing key, or delete the existing key and re-add the key with a kid using the JWKS APIs.';

function assertMayStandBeside(keys: readonly StoredKey[], key: StoredKey): void {
  if (keys.length >= MAXIMUM_KEYS) {
    throw refuse(
      `You can't create a new key. You have reached the maximum number of keys allowed (${MAXIMUM_KEYS}). ` +
        'To add another key, you must first delete an existing one.',
    );
  }
  if (keys.some(({ kid }) => kid === null)) {
    throw refuse(KIDS_MISSING);
  }
  if (keys.length > 0 && key.kid === null) throw refuse(KIDS_MISSING);
  if (keys.some(({ kid }) => kid === key.kid)) throw refuse("Each key must have a unique 'kid'.");
  const isEncrypting = (one: StoredKey): boolean => one.status === 'ACTIVE' && isEncryptionKey(one.jwk);
  if (isEncrypting(key) && keys.some(isEncrypting))
    throw refuse("The client can have only one active encryption key in the 'jwks'.");
}

export function addClientKey(
  work: Work,
  context: Context,
  grant: Grant,
  appId: AppId,
  jwk: Readonly<Record<string, unknown>>,
): Promise<StoredKey> {
  const { orgId } = context;
  const key = newStoredKey(readJwk(jwk, ''), orgSuffixOf(orgId), context.now);
  return work(context, async (tx, record) => {
    const app = await lockClient(tx, context, appId, grant);
    await assertMayProveClient(tx, context, app);
    assertMayStandBeside(await findInlineKeys(tx, orgId, appId), key);
    await insertKey(tx, orgId, appId, key);
    await raiseRevision(tx, orgId, appId);
    record({ eventType: 'app.oauth2.credentials.lifecycle.create', target: [appTarget(app), keyChange([null, key])] });
    return key;
  });
}
