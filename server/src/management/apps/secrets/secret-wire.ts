import type { Context } from '../../../kernel/context.ts';
import { wireDate } from '../../../kernel/texts/dates.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { MasterKey } from '../../../platform/crypto/index.ts';
import { credentialLinks } from '../credentials/client-credential-wire.ts';
import { type StoredSecret, secretFingerprint } from './secret-stored.ts';

export const wireSecret = (
  masterKey: MasterKey,
  { secret, value }: { readonly secret: StoredSecret; readonly value: string | null },
  appId: AppId,
  context: Context,
): Record<string, unknown> => ({
  id: secret.id,
  created: wireDate(secret.createdAt),
  lastUpdated: wireDate(secret.lastUpdatedAt),
  status: secret.status,
  ...(value === null ? {} : { client_secret: value }),
  secret_hash: secretFingerprint(masterKey, secret),
  _links: credentialLinks(`${context.baseUrl}/api/v1/apps/${appId}/credentials/secrets/${secret.id}`, secret.status),
});
