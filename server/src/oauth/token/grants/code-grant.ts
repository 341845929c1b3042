import type { Context } from '../../../kernel/context.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import {
  assumeAuthorizationCode,
  hashOfCode,
  lockAuthorizationCode,
  lockSeenAuthorizationCode,
  type SeenCode,
  type StoredCode,
  useAuthorizationCode,
  useSeenAuthorizationCode,
} from '../../authorization-codes/index.ts';
import type { AuthenticatedClient } from '../../client-authentication/authenticate-client.ts';
import { parameter } from '../../client-authentication/credentials-rules.ts';
import { refusalOf, refusalWith } from '../../client-authentication/refusal.ts';
import { removeExchanged, removeRefreshToken } from '../../refresh-tokens/index.ts';
import { insertRevokedToken } from '../../revocation/store.ts';
import { startRefreshToken } from '../issuing/start-refresh-token.ts';
import { codeReplayedEvents } from '../issuing/user-events.ts';
import type { TokenRequest } from '../request-rules.ts';
import { NOTHING_FOUND } from './find-grant.ts';
import { refusalOfVerifier } from './pkce.ts';
import type { GrantRefusal, LockedUserGrant, ReadUserGrant, TokenPlace } from './user-grant.ts';

/** A revocation is kept for longer than any access token lives. */
const REVOKED_FOR_MILLISECONDS = 25 * 60 * 60_000;

/** Voids the access token and the refresh token that a code's first use yielded (RFC 6749 4.1.2). */
async function voidFirstUse(
  tx: Tx,
  record: Record,
  context: Context,
  { client }: AuthenticatedClient,
  place: TokenPlace,
  code: StoredCode,
): Promise<void> {
  const { now, orgId } = context;
  const { accessJtiHash, refreshTokenId } = code;
  const expiresAt = new Date(now.getTime() + REVOKED_FOR_MILLISECONDS);
  const isAccessVoided =
    accessJtiHash !== null && (await insertRevokedToken(tx, orgId, { jtiHash: accessJtiHash, expiresAt }));
  // A client may have exchanged the access token for refresh tokens, which would otherwise survive it.
  const exchanged = accessJtiHash === null ? [] : await removeExchanged(tx, orgId, accessJtiHash);
  const isRefreshVoided = refreshTokenId !== null && (await removeRefreshToken(tx, orgId, refreshTokenId));
  const voided = {
    userId: code.userId,
    accessJtiHash: isAccessVoided ? accessJtiHash : null,
    refreshTokenIds: [...exchanged, ...(isRefreshVoided ? [refreshTokenId] : [])],
  };
  for (const event of codeReplayedEvents(client, place.server, voided)) record(event);
}

function refusalOfBinding(
  place: TokenPlace,
  { client, method }: AuthenticatedClient,
  form: TokenRequest['form'],
  code: StoredCode,
) {
  if (code.clientId !== client.clientId) return 'mismatchedClient';
  if (code.serverId !== (place.server?.facts.id ?? '')) return 'invalidCode';
  if (code.redirectUri !== (parameter(form, 'redirect_uri') ?? null)) return 'mismatchedRedirectUri';
  return refusalOfVerifier(code.codeChallenge, parameter(form, 'code_verifier'), method === 'none');
}

/**
 * Reads the grant `authorization_code` (RFC 6749 4.1.3). Only a request that is otherwise correct voids the tokens of a
 * used code; knowing the code is not enough.
 */
export const readCodeGrant: ReadUserGrant = async (ports, context, place, { authenticated }, { form }) => {
  const { now, orgId } = context;
  const { client } = authenticated;
  const text = parameter(form, 'code');
  if (text === undefined) return refusalWith('missingParameter', client, { parameter: 'code' });
  const hash = hashOfCode(text);
  const { found: code, parents } = hash === null ? NOTHING_FOUND : await ports.grants.code(context, place, hash);
  if (code === undefined) return refusalOf('invalidCode', client);
  const wrong = refusalOfBinding(place, authenticated, form, code);
  if (wrong !== null) return refusalOf(wrong, client);
  const authentication = {
    authTime: code.authTime,
    amr: code.amr,
    sessionExternalId: code.sessionExternalId,
    details: code.details,
  };
  const grantType = 'authorization_code';
  const heldBy = (held: StoredCode, seen?: SeenCode): LockedUserGrant => ({
    heldSince: held.issuedAt,
    settle: async (tx, issued, record) => {
      const told = await startRefreshToken(ports.refreshTexts, tx, record, context, issued, {
        server: place.server,
        grantType,
        authentication,
      });
      const redemption = { usedAt: now, refreshTokenId: told?.id ?? null, accessJtiHash: hashSecret(issued.jti) };
      if (seen === undefined) useAuthorizationCode(tx, orgId, code.hash, redemption);
      else useSeenAuthorizationCode(tx, orgId, seen, redemption);
      return told;
    },
  });
  return {
    userId: code.userId,
    requestedScopes: code.scopes.join(' '),
    grantedScopes: code.scopes,
    grantType,
    refusedAs: 'invalidCode',
    authentication,
    nonce: code.nonce,
    boundTo: code.dpopJkt === null ? null : { jkt: code.dpopJkt, otherKey: 'invalidCode' },
    lock: async (tx): Promise<LockedUserGrant | GrantRefusal> => {
      const locked = await lockAuthorizationCode(tx, orgId, code);
      if (locked === undefined) return { refused: 'invalidCode' };
      const held = { ...code, ...locked };
      if (held.usedAt === null) {
        return held.expiresAt <= now || !held.hasSession ? { refused: 'invalidCode' } : heldBy(held);
      }
      return {
        refused: 'invalidCode',
        effect: (ownTx, record) => voidFirstUse(ownTx, record, context, authenticated, place, held),
      };
    },
    ...(parents === undefined || code.usedAt !== null || code.expiresAt <= now
      ? {}
      : {
          seen: {
            parents,
            held: heldBy(code, code),
            assume: (tx) => assumeAuthorizationCode(tx, orgId, code),
            shared: {
              key: `code ${code.hash.toString('hex')}`,
              lock: (tx) => lockSeenAuthorizationCode(tx, orgId, code),
              held: heldBy(code),
            },
          },
        }),
  };
};
