import type { OrgId } from '../../kernel/ids.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import type { Authenticated } from '../../platform/http/index.ts';
import type { AuthorisationCache } from '../../platform/postgres/index.ts';
import type { LastUsedWriter } from './last-used-writer.ts';
import { expiryOf, mayOwnLiveTokens, readAuthorization } from './rules.ts';
import type { TokenOwner } from './store.ts';

export interface AuthenticationPorts {
  /** Key: org, and the hash of the token in hexadecimal. */
  readonly owners: AuthorisationCache<TokenOwner | null>;
  readonly lastUsed: LastUsedWriter;
}

function displayNameOf({ firstName, lastName, login }: TokenOwner): string {
  const name = [firstName, lastName].filter((part) => part !== null && part !== '').join(' ');
  return name === '' ? login : name;
}

/**
 * Who sends `Authorization: SSWS ...`: the token's owner, with the roles the owner has now. Null when the token is
 * unknown to this org, has expired, or its owner is staged, suspended or deprovisioned.
 */
export async function authenticateApiToken(
  { owners, lastUsed }: AuthenticationPorts,
  orgId: OrgId,
  authorization: string,
  now: Date,
): Promise<Authenticated | null> {
  const token = readAuthorization(authorization);
  if (token === null) return null;
  const owner = await owners.get({ orgId, kind: 'apiToken', id: hashSecret(token).toString('hex') });
  if (owner === null || !mayOwnLiveTokens(owner.status)) return null;
  const lastUsedAt = lastUsed.waiting(orgId, owner.tokenId) ?? owner.lastUsedAt;
  if (now >= expiryOf(lastUsedAt)) return null;
  lastUsed.note(orgId, owner.tokenId, owner.lastUsedAt, now);
  return {
    principal: { kind: 'apiToken', tokenId: owner.tokenId, userId: owner.userId },
    actor: { id: owner.userId, type: 'User', alternateId: owner.login, displayName: displayNameOf(owner) },
    roles: owner.roles,
    scopes: null,
  };
}
