import type { Context } from '../../../kernel/context.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { newExternalSessionId, newSessionToken } from '../session-secrets.ts';
import { insertSessionToken } from '../store.ts';

export interface SignedIn {
  readonly userId: string;
  /** The time after which the session ends if it is not refreshed. */
  readonly idleMinutes: number;
  /** The time after which the session ends in any case. 0 means that there is no limit. */
  readonly lifetimeMinutes: number;
  readonly usePersistentCookie: boolean;
  readonly amr: readonly string[];
  /** `type` is a provider type as it is stored, such as `INTERNAL` for this service. */
  readonly idp: { readonly id: string; readonly type: string };
  /** The time of the password check, as API responses and ID tokens show it. */
  readonly passwordVerifiedAt: Date;
  /**
   * The time at which the user authenticated, by the database's clock. It decides how fresh the sign-in is. The default
   * is the time when the token is issued.
   */
  readonly authenticatedAt?: Date;
  /** The time at which a second factor was verified, if there was one. */
  readonly factorVerifiedAt?: Date;
}

export interface IssuedSessionToken {
  readonly sessionToken: string;
  /** The public id that the session gets, unless it continues an earlier session of the browser. */
  readonly externalSessionId: string;
  readonly expiresAt: Date;
}

const SESSION_TOKEN_LIFETIME_MILLISECONDS = 5 * 60_000;

/**
 * Issues a token for one use. Call this under the user's lock, and after changes that void credentials, because such a
 * change would also void the token.
 */
export async function issueSessionToken(tx: Tx, context: Context, input: SignedIn): Promise<IssuedSessionToken> {
  const { userId, passwordVerifiedAt, authenticatedAt, factorVerifiedAt, ...rest } = input;
  const sessionToken = newSessionToken();
  const externalSessionId = newExternalSessionId();
  const expiresAt = new Date(context.now.getTime() + SESSION_TOKEN_LIFETIME_MILLISECONDS);
  const session = {
    ...rest,
    externalSessionId,
    passwordVerifiedAt: passwordVerifiedAt.toISOString(),
    ...(authenticatedAt === undefined ? {} : { authenticatedAt: authenticatedAt.toISOString() }),
    ...(factorVerifiedAt === undefined ? {} : { factorVerifiedAt: factorVerifiedAt.toISOString() }),
  };
  insertSessionToken(tx, context.orgId, { hash: hashSecret(sessionToken), userId, expiresAt, session });
  return { sessionToken, externalSessionId, expiresAt };
}
