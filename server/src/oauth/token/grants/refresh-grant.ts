import type { Context } from '../../../kernel/context.ts';
import { parameter } from '../../client-authentication/credentials-rules.ts';
import { refusalOf, refusalWith } from '../../client-authentication/refusal.ts';
import {
  assumeRefreshToken,
  expiriesOf,
  isOver,
  lockRefreshToken,
  lockSeenRefreshToken,
  removeRefreshToken,
  rotationFor,
  type SeenRefreshToken,
  type StoredRefreshToken,
  type Turn,
  turnOf,
  updateRefreshToken,
  updateSeenRefreshToken,
} from '../../refresh-tokens/index.ts';
import type { SeenParents } from '../../user-tokens/index.ts';
import { reuseEvent } from '../issuing/user-events.ts';
import { askedScopes } from '../scope-rules.ts';
import { NOTHING_FOUND } from './find-grant.ts';
import type { GrantRefusal, LockedUserGrant, ReadUserGrant, SeenGrant, UserGrantPorts } from './user-grant.ts';

/** Returns the requested scopes, or the granted ones if the parameter is absent (RFC 6749 6). */
function narrowed(text: string | undefined, granted: readonly string[]): string | null {
  if (text === undefined) return granted.join(' ');
  const asked = askedScopes(text);
  if ('refused' in asked) return null;
  return asked.scopes.every((scope) => granted.includes(scope)) ? asked.scopes.join(' ') : null;
}

/**
 * The returned function issues the next generation of the token or, for `again`, the current one. The token is locked
 * unless it is `seen`.
 */
const settling =
  (
    { refreshTexts }: Pick<UserGrantPorts, 'refreshTexts'>,
    { now, orgId }: Context,
    held: StoredRefreshToken,
    turn: 'rotate' | 'again',
    seen?: SeenRefreshToken,
  ): LockedUserGrant['settle'] =>
  async (tx, { decision }) => {
    const generation = turn === 'rotate' ? held.generation + 1 : held.generation;
    const rotatedAt = turn === 'rotate' ? now : held.rotatedAt;
    const { expiresAt, idleExpiresAt } = expiriesOf(decision.refresh, held.createdAt, now);
    const { id } = held;
    const use = { id, generation, rotatedAt, lastUpdatedAt: now, idleExpiresAt, expiresAt };
    if (seen === undefined) updateRefreshToken(tx, orgId, use);
    else updateSeenRefreshToken(tx, orgId, use, seen);
    const text = refreshTexts.textOf(orgId, { id, generation });
    return { id, text, isNew: turn === 'rotate', expiresAt: idleExpiresAt };
  };

function seenAs(
  ports: UserGrantPorts,
  context: Context,
  token: SeenRefreshToken,
  turn: Turn,
  parents: SeenParents | undefined,
): SeenGrant | undefined {
  if (parents === undefined || turn === 'reuse' || isOver(token, context.now)) return undefined;
  return {
    parents,
    held: { heldSince: token.issuedAt, settle: settling(ports, context, token, turn, token) },
    assume: (tx) => assumeRefreshToken(tx, context.orgId, token),
    shared: {
      key: `refresh token ${token.id}`,
      lock: (tx) => lockSeenRefreshToken(tx, context.orgId, token),
      held: { heldSince: token.issuedAt, settle: settling(ports, context, token, turn) },
    },
  };
}

/**
 * Reads the grant `refresh_token`. Presenting a replaced token ends its family (RFC 9700 4.14). Within the leeway, the
 * previous token still works, because the response that contained the new one may have been lost.
 */
export const readRefreshGrant: ReadUserGrant = async (ports, context, place, { authenticated }, { form }) => {
  const { now, orgId } = context;
  const { client, method } = authenticated;
  const text = parameter(form, 'refresh_token');
  if (text === undefined) return refusalWith('missingParameter', client, { parameter: 'refresh_token' });
  const presented = ports.refreshTexts.read(orgId, text);
  const { found: token, parents } =
    presented === null ? NOTHING_FOUND : await ports.grants.refreshToken(context, place, presented.id);
  const isOwn = token?.clientId === client.clientId && token.serverId === (place.server?.facts.id ?? '');
  if (presented === null || token === undefined || !isOwn) return refusalOf('invalidRefreshToken', client);
  const requestedScopes = narrowed(parameter(form, 'scope'), token.scopes);
  if (requestedScopes === null) return refusalOf('invalidScope', client);
  const rotation = rotationFor(client.refreshToken, { method, isBound: token.dpopJkt !== null });
  const seen = seenAs(ports, context, token, turnOf(rotation, token, presented.generation, now), parents);
  return {
    userId: token.userId,
    requestedScopes,
    grantedScopes: requestedScopes.split(' '),
    grantType: token.grantType,
    refusedAs: 'invalidRefreshToken',
    authentication: {
      authTime: token.authTime,
      amr: token.amr,
      sessionExternalId: token.sessionExternalId,
      details: token.details,
    },
    // The nonce of the first ID token is not repeated (OpenID Connect Core 12.2).
    nonce: null,
    boundTo: token.dpopJkt === null ? null : { jkt: token.dpopJkt, otherKey: 'dpopOtherKey' },
    lock: async (tx): Promise<LockedUserGrant | GrantRefusal> => {
      const locked = await lockRefreshToken(tx, orgId, token.id);
      if (locked === undefined || isOver(locked, now)) return { refused: 'invalidRefreshToken' };
      const held = { ...token, ...locked };
      const turn = turnOf(rotation, held, presented.generation, now);
      if (turn !== 'reuse') return { heldSince: held.issuedAt, settle: settling(ports, context, held, turn) };
      return {
        refused: 'invalidRefreshToken',
        effect: async (ownTx, record) => {
          await removeRefreshToken(ownTx, orgId, held.id);
          record(reuseEvent(client, place.server, held));
        },
      };
    },
    ...(seen === undefined ? {} : { seen }),
    // The policy's rule may have shortened the lifetimes since the token was issued.
    check: ({ refresh }): GrantRefusal | null => {
      if (!isOver(expiriesOf(refresh, token.createdAt, now), now)) return null;
      const effect: GrantRefusal['effect'] = async (tx) => {
        await removeRefreshToken(tx, orgId, token.id);
      };
      return { refused: 'invalidRefreshToken', effect };
    },
  };
};
