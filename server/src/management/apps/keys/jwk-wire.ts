import type { Context } from '../../../kernel/context.ts';
import { wireDate } from '../../../kernel/texts/dates.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import { credentialLinks } from '../credentials/client-credential-wire.ts';
import { isEncryptionKey } from './jwk-rules.ts';
import type { StoredKey } from './jwk-stored.ts';

export function wireJwk(key: StoredKey, appId: AppId, context: Context): Record<string, unknown> {
  const { kty, alg, use, ...members } = key.jwk;
  const { deactivate, ...links } = credentialLinks(
    `${context.baseUrl}/api/v1/apps/${appId}/credentials/jwks/${key.id}`,
    key.status,
  );
  // The operation `deactivate` refuses active encryption keys.
  const mayStop = deactivate !== undefined && !isEncryptionKey(key.jwk);
  return {
    id: key.id,
    ...(key.kid === null ? {} : { kid: key.kid }),
    kty,
    ...(alg === undefined ? {} : { alg }),
    ...(use === undefined ? {} : { use }),
    ...members,
    status: key.status,
    created: wireDate(key.createdAt),
    lastUpdated: wireDate(key.lastUpdatedAt),
    _links: mayStop ? { ...links, deactivate } : links,
  };
}
