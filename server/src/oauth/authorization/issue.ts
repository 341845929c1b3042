import type { Context } from '../../kernel/context.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { Record } from '../../system-log/index.ts';
import { newAccessTokenId, type OpenedSigner, type TokenSigner } from '../access-tokens/index.ts';
import { CODE_LIFETIME_SECONDS, insertAuthorizationCode, newAuthorizationCode } from '../authorization-codes/index.ts';
import { takeRequest } from '../interactions/index.ts';
import {
  ID_TOKEN_LIFETIME_SECONDS,
  mintIdToken,
  mintUserAccessToken,
  newIdTokenId,
  type UserTokenPlace,
} from '../user-tokens/index.ts';
import { type IssuedTokenFacts, issuedEvents } from './events.ts';
import type { Parameters } from './requests/parameter-rules.ts';
import { found, type RequestState } from './requests/request-state.ts';
import { insertSessionClient } from './store.ts';

/** The issued code and the ids of the issued tokens. Each is null if the response contains no such part. */
interface Names {
  readonly code: string | null;
  readonly accessTokenId: string | null;
  readonly idTokenId: string | null;
}

/** The tokens are signed after the transaction, with these ids. */
export interface Issued extends Names {
  /** This is null when no tokens are issued. */
  readonly signer: TokenSigner | null;
}

async function issueCode(
  tx: Tx,
  { now, orgId }: Context,
  known: RequestState,
): Promise<{ code: string; hash: Buffer }> {
  const { parameters, server } = known;
  const { amr, authTime, details, sessionExternalId } = found(known, 'authentication');
  const made = newAuthorizationCode();
  await insertAuthorizationCode(tx, orgId, {
    hash: made.hash,
    serverId: server?.facts.id ?? '',
    clientId: found(known, 'client').clientId,
    userId: found(known, 'session').userId,
    sessionExternalId,
    redirectUri: found(known, 'redirectUri'),
    scopes: found(known, 'scopes'),
    nonce: parameters['nonce'] ?? null,
    codeChallenge: parameters['code_challenge'] ?? null,
    dpopJkt: parameters['dpop_jkt'] ?? null,
    authTime,
    amr,
    details,
    createdAt: now,
    expiresAt: new Date(now.getTime() + CODE_LIFETIME_SECONDS * 1_000),
  });
  return made;
}

const after = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1_000);

/** Describes the issued tokens for the log, without the strings that could be used as credentials. */
function tokenFacts(context: Context, known: RequestState, { accessTokenId, idTokenId }: Names): IssuedTokenFacts[] {
  const decision = known.decisions?.tokens;
  if (decision === undefined) return [];
  const { now } = context;
  const { clientId } = found(known, 'client');
  const scopes = [...decision.scopes];
  const accessToken = { sub: decision.subject, cid: clientId, uid: decision.user.id, scp: scopes };
  const idToken = { sub: decision.user.id, aud: clientId };
  return [
    ...(accessTokenId === null
      ? []
      : [
          {
            type: 'access_token' as const,
            jti: accessTokenId,
            expiresAt: after(now, decision.lifetimeSeconds),
            claims: accessToken,
          },
        ]),
    ...(idTokenId === null
      ? []
      : [
          {
            type: 'id_token' as const,
            jti: idTokenId,
            expiresAt: after(now, ID_TOKEN_LIFETIME_SECONDS),
            claims: idToken,
          },
        ]),
  ];
}

/**
 * Issues the code and the ids of the tokens, with their events. The caller has locked everything that they depend on.
 */
export async function issue(
  tx: Tx,
  context: Context,
  known: RequestState,
  record: Record,
  openedSigner: OpenedSigner | null,
): Promise<Issued> {
  const { orgId } = context;
  const signer = openedSigner?.() ?? null;
  const parts = found(known, 'parts');
  const code = parts.includes('code') ? await issueCode(tx, context, known) : null;
  const issued: Names = {
    code: code?.code ?? null,
    accessTokenId: parts.includes('token') ? newAccessTokenId(found(known, 'parents').issuedAt) : null,
    idTokenId: parts.includes('id_token') ? newIdTokenId(found(known, 'parents').issuedAt) : null,
  };
  await insertSessionClient(tx, orgId, {
    sessionExternalId: found(known, 'session').externalId,
    clientId: found(known, 'client').clientId,
    serverId: known.server?.facts.id ?? '',
    baseUrl: context.baseUrl,
    createdAt: context.now,
  });
  if (known.interaction !== undefined) await takeRequest(tx, orgId, known.interaction.hash);
  const facts = tokenFacts(context, known, issued);
  for (const event of issuedEvents(context, known, { codeHash: code?.hash ?? null, tokens: facts })) record(event);
  return { ...issued, signer };
}

/**
 * Signs the tokens. Returns the parameters of the response, except `state` and `iss` (OAuth 2.0 Multiple Response Types
 * 5, OpenID Connect Core 3.2.2.5).
 */
export async function signAnswer(
  context: Context,
  known: RequestState,
  { accessTokenId, code, idTokenId, signer }: Issued,
): Promise<Parameters> {
  const answer: { [name: string]: string } = code === null ? {} : { code };
  const decision = known.decisions?.tokens;
  if (decision === undefined || signer === null) return answer;
  const place: UserTokenPlace = {
    server: known.server,
    clientId: found(known, 'client').clientId,
    decision,
    authentication: found(known, 'authentication'),
  };
  let accessToken: string | null = null;
  if (accessTokenId !== null) {
    const minted = await mintUserAccessToken(signer, context, place, { jti: accessTokenId });
    accessToken = minted.token;
    const expiresIn = String(decision.lifetimeSeconds);
    Object.assign(answer, {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: expiresIn,
      scope: decision.scopes.join(' '),
    });
  }
  if (idTokenId !== null) {
    const nonce = known.parameters['nonce'] ?? null;
    const minted = await mintIdToken(signer, context, place, { jti: idTokenId, nonce, accessToken, code });
    answer['id_token'] = minted.token;
  }
  return answer;
}
