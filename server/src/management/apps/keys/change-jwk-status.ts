import type { Context } from '../../../kernel/context.ts';
import { invalidObject, notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { lockClient } from '../changes/lock-app.ts';
import { assertMayProveClient } from '../clients/client-guard.ts';
import { type CredentialAction, credentialLifecycle, statusAfter } from '../credentials/client-credential-lifecycle.ts';
import { type ClientApp, raiseRevision } from '../store.ts';
import { appTarget } from '../target.ts';
import { isEncryptionKey } from './jwk-rules.ts';
import { findInlineKeys, updateKey } from './jwk-store.ts';
import { jwkVersion, keyChange, type StoredKey } from './jwk-stored.ts';

/** The contract defines this text. */
const ONLY_KEY =
  "Can't deactivate the only active JSON Web Key when the value for `token_endpoint_auth_method` is `private_key_jwt`.";

function assertMayStop({ document }: ClientApp, keys: readonly StoredKey[], key: StoredKey): void {
  if (isEncryptionKey(key.jwk)) {
    throw invalidObject('JsonWebKey', ['To deactivate an active encryption key, activate another one.']);
  }
  const needsKey =
    document.credentials.oauthClient.token_endpoint_auth_method === 'private_key_jwt' &&
    document.settings.oauthClient.jwks_uri === undefined;
  const isOther = (one: StoredKey): boolean =>
    one.id !== key.id && one.status === 'ACTIVE' && !isEncryptionKey(one.jwk);
  if (needsKey && !keys.some(isOther)) {
    throw invalidObject('JsonWebKey', [ONLY_KEY]);
  }
}

const displaced = (keys: readonly StoredKey[], key: StoredKey): StoredKey[] =>
  isEncryptionKey(key.jwk) ? keys.filter((one) => one.status === 'ACTIVE' && isEncryptionKey(one.jwk)) : [];

/** The activation of an encryption key deactivates the previously active one. */
export function changeKeyStatus(
  work: Work,
  context: Context,
  grant: Grant,
  appId: AppId,
  keyId: string,
  action: CredentialAction,
): Promise<StoredKey> {
  const { orgId } = context;
  const lastUpdatedAt = wholeSecond(context.now);
  return work(context, async (tx, record) => {
    const app = await lockClient(tx, context, appId, grant);
    await assertMayProveClient(tx, context, app);
    const keys = await findInlineKeys(tx, orgId, appId);
    const before = keys.find(({ id }) => id === keyId);
    if (before === undefined) throw notFound(keyId, 'JsonWebKey');
    assertVersion(context, jwkVersion(before));
    if (!credentialLifecycle.allows(before.status, action)) return before;
    if (action === 'deactivate') assertMayStop(app, keys, before);
    const change = async (key: StoredKey, given: CredentialAction): Promise<StoredKey> => {
      const after = { ...key, status: statusAfter(given), lastUpdatedAt, revision: key.revision + 1 };
      await updateKey(tx, orgId, appId, after);
      await raiseRevision(tx, orgId, appId);
      record({ eventType: credentialLifecycle.table[given].event, target: [appTarget(app), keyChange([key, after])] });
      return after;
    };
    for (const other of action === 'activate' ? displaced(keys, before) : []) await change(other, 'deactivate');
    return change(before, action);
  });
}
