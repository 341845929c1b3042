import { wireDate } from '../../kernel/dates.ts';
import type { Target } from '../../system-log/index.ts';
import type { ProviderKey } from './key-store.ts';

/** A key as the wire has it (recorded). */
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

export const keyTarget = ({ kid, jwk }: Pick<ProviderKey, 'kid' | 'jwk'>): Target => ({
  id: kid,
  type: 'IdentityProviderKey',
  alternateId: jwk['x5t#S256'],
  displayName: kid,
});
