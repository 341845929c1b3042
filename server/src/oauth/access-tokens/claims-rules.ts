import type { ClientId } from '../../kernel/words/ids.ts';
import { type Actor, readActor } from './actor-rules.ts';
import { neutralScope } from './openid-scope-rules.ts';

/** The key that a token is bound to, as the SHA-256 thumbprint of the client's DPoP key (RFC 9449 6.1). */
export interface Confirmation {
  readonly jkt: string;
}

interface TokenUser {
  readonly id: string;
  /** Null means that the user was absent when the token was issued. The token then names an actor. */
  readonly authTime: Date | null;
}

/** The claims of an access token whose signature was verified. */
export interface AccessTokenClaims {
  readonly jti: string;
  readonly issuer: string;
  readonly subject: string;
  readonly clientId: ClientId;
  /** The user whom the token is about. Null means that the client acts for itself. */
  readonly user: TokenUser | null;
  /** The scopes without the namespace word, such as `users.read`. */
  readonly scopes: readonly string[];
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** This is absent if the token is not bound to a key. */
  readonly confirmation?: Confirmation;
  /** This is absent if no other party acts for the user. */
  readonly actor?: Actor;
}

/** The maximum time by which `iat` may be in the future. It allows for nodes whose clocks differ. */
const MAXIMUM_SKEW_SECONDS = 60;

type Claims = Readonly<Record<string, unknown>>;

const isInstant = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Returns null if there are no scopes or one does not belong to the org's own server. */
function neutralScopes(scp: unknown, word: string): string[] | null {
  if (!Array.isArray(scp) || scp.length === 0) return null;
  const scopes = scp.map((scope: unknown) => (typeof scope === 'string' ? neutralScope(scope, word) : null));
  return scopes.every((scope) => scope !== null) ? scopes : null;
}

/** Returns null for a client's own token, and undefined for claims that fit neither a user nor a client. */
function readUser({ act, auth_time: authTime, uid }: Claims): AccessTokenClaims['user'] | undefined {
  if (uid === undefined && authTime === undefined) return null;
  if (!isText(uid)) return undefined;
  if (authTime === undefined) return act === undefined ? undefined : { id: uid, authTime: null };
  return isInstant(authTime) ? { id: uid, authTime: new Date(authTime * 1_000) } : undefined;
}

/** The org's own server issues no tokens for absent users. */
const isThere = ({ user }: Pick<AccessTokenClaims, 'user'>): boolean => user === null || user.authTime !== null;

/** Returns null for a confirmation that is not exactly one `jkt`. */
function readConfirmation(cnf: unknown): { readonly confirmation?: Confirmation } | null {
  if (cnf === undefined) return {};
  if (typeof cnf !== 'object' || cnf === null) return null;
  const jkt: unknown = Reflect.get(cnf, 'jkt');
  return isText(jkt) && Object.keys(cnf).length === 1 ? { confirmation: { jkt } } : null;
}

function readCommonClaims(claims: Claims): Omit<AccessTokenClaims, 'scopes'> | null {
  const { act, cid, cnf, exp, iat, iss, jti, sub, ver } = claims;
  if (ver !== 1 || !isText(jti) || !jti.startsWith('AT.')) return null;
  if (!isText(iss) || !isText(sub) || !isText(cid)) return null;
  if (!isInstant(iat) || !isInstant(exp)) return null;
  const confirmation = readConfirmation(cnf);
  const user = readUser(claims);
  const actor = readActor(act);
  if (confirmation === null || user === undefined || actor === null) return null;
  const dates = { issuedAt: new Date(iat * 1_000), expiresAt: new Date(exp * 1_000) };
  const acting = actor === undefined ? {} : { actor };
  return { jti, issuer: iss, subject: sub, clientId: cid, user, ...dates, ...confirmation, ...acting };
}

/**
 * Reads the claims of an access token of an org's own server. Returns null for any other claims. Does not check the
 * issuer or the times.
 */
export function readClaims(claims: Claims, word: string): AccessTokenClaims | null {
  const common = readCommonClaims(claims);
  const scopes = neutralScopes(claims['scp'], word);
  if (common === null || scopes === null || claims['aud'] !== common.issuer) return null;
  return isThere(common) ? { ...common, scopes } : null;
}

/** The claims of a custom server's access token. The scopes have the names that the server gives them. */
export interface ServerTokenClaims extends AccessTokenClaims {
  readonly audience: string;
}

/**
 * Reads the claims of a custom server's access token, which may have any audience. Returns null for any other claims.
 */
export function readServerClaims(claims: Claims): ServerTokenClaims | null {
  const common = readCommonClaims(claims);
  const { aud, scp } = claims;
  if (common === null || !isText(aud) || !Array.isArray(scp) || !scp.every(isText)) return null;
  return { ...common, audience: aud, scopes: scp };
}

export const isWithinItsTime = ({ expiresAt, issuedAt }: AccessTokenClaims, now: Date): boolean =>
  now < expiresAt && issuedAt.getTime() <= now.getTime() + MAXIMUM_SKEW_SECONDS * 1_000;

/** Returns whether an issuer is an origin, as the issuer of an org's own server is. */
export const isOrigin = (issuer: string): boolean => URL.canParse(issuer) && new URL(issuer).origin === issuer;
