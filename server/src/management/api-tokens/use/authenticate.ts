import type { OrgId } from '../../../kernel/words/ids.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import type { Authenticated, Credential, OutsideNetwork } from '../../../platform/http/index.ts';
import type { AuthorisationCache } from '../../../platform/postgres/index.ts';
import { expiryOf, mayOwnLiveTokens, readAuthorization } from '../rules.ts';
import type { TokenOwner } from '../store.ts';
import type { LastUsedWriter } from './last-used-writer.ts';
import { isAllowedFrom } from './network-rules.ts';

export interface AuthenticationPorts {
  /** The owners of tokens, by org and by the hash of the token in hex format. */
  readonly owners: AuthorisationCache<TokenOwner | null>;
  readonly lastUsed: LastUsedWriter;
  readonly zoneIdsAt: (orgId: OrgId, address: string) => Promise<readonly string[]>;
}

function displayNameOf({ firstName, lastName, login }: TokenOwner): string {
  const name = [firstName, lastName].filter((part) => part !== null && part !== '').join(' ');
  return name === '' ? login : name;
}

async function mayComeFrom(
  { zoneIdsAt }: AuthenticationPorts,
  orgId: OrgId,
  { network }: TokenOwner,
  address: string | null,
): Promise<boolean> {
  if (network.connection === 'ANYWHERE') return true;
  return isAllowedFrom(network, address === null ? null : await zoneIdsAt(orgId, address));
}

/** For a token that is used outside its network, the result names only the token and its owner. */
export async function authenticateApiToken(
  ports: AuthenticationPorts,
  orgId: OrgId,
  { authorization, clientAddress }: Pick<Credential, 'authorization' | 'clientAddress'>,
  now: Date,
): Promise<Authenticated | OutsideNetwork | null> {
  const { lastUsed, owners } = ports;
  const token = readAuthorization(authorization);
  if (token === null) return null;
  const owner = await owners.get({ orgId, kind: 'apiToken', id: hashSecret(token).toString('hex') });
  if (owner === null || !mayOwnLiveTokens(owner.status)) return null;
  const lastUsedAt = lastUsed.waiting(orgId, owner.tokenId) ?? owner.lastUsedAt;
  if (now >= expiryOf(lastUsedAt)) return null;
  const actor = { id: owner.userId, type: 'User', alternateId: owner.login, displayName: displayNameOf(owner) };
  if (!(await mayComeFrom(ports, orgId, owner, clientAddress))) {
    return { outsideNetwork: { id: owner.tokenId, name: owner.name }, actor };
  }
  lastUsed.note(orgId, owner.tokenId, owner.lastUsedAt, now);
  return {
    principal: { kind: 'apiToken', tokenId: owner.tokenId, userId: owner.userId },
    actor,
    roles: owner.roles,
    scopes: null,
  };
}
