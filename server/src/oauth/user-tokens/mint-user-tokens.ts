import { createHash } from 'node:crypto';
import type { Context } from '../../kernel/context.ts';
import type { ClientId } from '../../kernel/words/ids.ts';
import type { Confirmation } from '../access-tokens/claims-rules.ts';
import { newTokenId, readActor, type TokenSigner } from '../access-tokens/index.ts';
import type { ServerConfiguration } from '../custom-servers/index.ts';
import type { Authentication, UserTokenDecision } from './decide-user-tokens.ts';

export interface UserTokenPlace {
  /** Null means the org's own server. */
  readonly server: ServerConfiguration | null;
  readonly clientId: ClientId;
  readonly decision: UserTokenDecision;
  readonly authentication: Authentication;
}

export interface MintedUserToken {
  readonly token: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

/** The contract fixes this lifetime (section 7). */
export const ID_TOKEN_LIFETIME_SECONDS = 3_600;

/** The claims that the protocol defines. No claim of a server overwrites them. */
type Protocol = Readonly<Record<string, unknown>>;

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

/** The id contains the time of issue. */
export const newIdTokenId = (issuedAt: Date): string => newTokenId('ID.', issuedAt);

/** Returns the left half of the SHA-256 of the text in base64url (OpenID Connect Core 3.1.3.6 and 3.3.2.11). */
const halfHash = (text: string): string =>
  createHash('sha256').update(text, 'ascii').digest().subarray(0, 16).toString('base64url');

/** A null `server` means the org's own. */
export const issuerAt = ({ baseUrl }: Context, server: ServerConfiguration | null): string =>
  server === null ? baseUrl : baseUrl + server.facts.issuerPath;

/** Returns the recorded actor. If none is recorded, returns the client for an absent user, or else null. */
function actorOf(context: Context, { authentication, clientId, server }: Omit<UserTokenPlace, 'decision'>) {
  const noted = readActor(authentication.details['act']) ?? null;
  if (noted !== null || authentication.authTime !== null) return noted;
  return { iss: issuerAt(context, server), sub: clientId };
}

/** `jti` comes from `newAccessTokenId`. */
export function mintUserAccessToken(
  signer: Pick<TokenSigner, 'mintUser' | 'mintForServer'>,
  context: Context,
  place: UserTokenPlace,
  { confirmation, jti }: { readonly jti: string; readonly confirmation?: Confirmation },
): Promise<MintedUserToken> {
  const { now } = context;
  const { authentication, clientId, decision, server } = place;
  const { claims, lifetimeSeconds, scopes, subject, user } = decision;
  const actor = actorOf(context, place);
  const common = {
    jti,
    issuer: issuerAt(context, server),
    subject,
    clientId,
    user: { id: user.id, authTime: authentication.authTime },
    scopes,
    issuedAt: now,
    ...(confirmation === undefined ? {} : { confirmation }),
    ...(actor === null ? {} : { actor }),
  };
  if (server === null) return signer.mintUser({ ...common, lifetimeSeconds });
  return signer.mintForServer({
    ...common,
    audience: server.facts.audiences[0] ?? common.issuer,
    lifetimeSeconds,
    claims,
  });
}

export interface NewIdToken {
  /** The id comes from `newIdTokenId`. */
  readonly jti: string;
  readonly nonce: string | null;
  /** Null means that no access token comes with the ID token. */
  readonly accessToken: string | null;
  readonly code: string | null;
  readonly lifetimeSeconds?: number;
}

/** Signs an ID token (OpenID Connect Core 2) with the server's key. */
export async function mintIdToken(
  signer: Pick<TokenSigner, 'signClaims'>,
  context: Context,
  place: UserTokenPlace,
  { accessToken, code, jti, lifetimeSeconds = ID_TOKEN_LIFETIME_SECONDS, nonce }: NewIdToken,
): Promise<MintedUserToken> {
  const { authentication, clientId, decision, server } = place;
  const iat = seconds(context.now);
  const exp = iat + lifetimeSeconds;
  const { acr, idp } = authentication.details;
  const { authTime } = authentication;
  const actor = actorOf(context, place);
  const protocol: Protocol = {
    sub: decision.user.id,
    ver: 1,
    iss: issuerAt(context, server),
    aud: clientId,
    iat,
    exp,
    jti,
    // The authentication methods may be unknown, for example for an absent user or after the exchange of an access
    // token.
    ...(authentication.amr.length === 0 ? {} : { amr: authentication.amr }),
    idp: idp ?? context.orgId,
    ...(nonce === null ? {} : { nonce }),
    ...(authTime === null ? {} : { auth_time: seconds(authTime) }),
    ...(typeof acr === 'string' ? { acr } : {}),
    ...(authentication.sessionExternalId === null ? {} : { sid: authentication.sessionExternalId }),
    ...(actor === null ? {} : { act: actor }),
    ...(accessToken === null ? {} : { at_hash: halfHash(accessToken) }),
    ...(code === null ? {} : { c_hash: halfHash(code) }),
  };
  const { thin, whole } = decision.identity;
  const claims = { ...protocol, ...(accessToken === null ? whole : thin), ...protocol };
  const token = await signer.signClaims(claims);
  return { token, jti, expiresAt: new Date(exp * 1_000) };
}
