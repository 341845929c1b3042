import { wireDate } from '../../../kernel/texts/dates.ts';
import type { Version } from '../../../kernel/version.ts';
import { changeTarget, type Target } from '../../../system-log/index.ts';
import type { ProviderKey } from './key-store.ts';

export function wireKey({ kid, jwk, ...key }: ProviderKey): Record<string, unknown> {
  const { kty, x5c, 'x5t#S256': thumbprint, ...members } = jwk;
  return {
    kty,
    created: wireDate(key.createdAt),
    lastUpdated: wireDate(key.lastUpdatedAt),
    expiresAt: wireDate(key.expiresAt),
    alg: kty,
    kid,
    use: 'sig',
    x5c,
    'x5t#S256': thumbprint,
    ...members,
  };
}

const keyTarget = ({ kid, jwk }: ProviderKey): Target => ({
  id: kid,
  type: 'IdentityProviderKey',
  alternateId: jwk['x5t#S256'],
  displayName: kid,
});

export const keyChange = changeTarget(keyTarget, ({ kid, jwk, expiresAt }) => ({
  kid,
  'x5t#S256': jwk['x5t#S256'] ?? null,
  expiresAt: expiresAt.toISOString(),
}));

export const keyVersion = ({ kid, revision }: ProviderKey): Version => ({
  kind: 'identityProviderKey',
  id: kid,
  revision,
});
