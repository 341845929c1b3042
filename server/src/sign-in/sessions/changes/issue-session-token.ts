import type { Context } from '../../../kernel/context.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { newExternalSessionId, newSessionToken } from '../session-secrets.ts';
import { insertSessionToken } from '../store.ts';

export interface SignedIn {
  readonly userId: string;
  /** The session ends after this time without a refresh. */
  readonly idleMinutes: number;
  /** The session always ends after this time. 0 means that there is no limit. */
  readonly lifetimeMinutes: number;
  readonly usePersistentCookie: boolean;
  readonly amr: readonly string[];
  /** `type` is `INTERNAL` (this service) or another neutral provider type. */
  readonly idp: { readonly id: string; readonly type: string };
  /** The time by the node's clock, for API responses. */
  readonly passwordVerifiedAt: Date;
  /** The time by the database's clock, which decides how fresh the sign-in is. Defaults to now. */
  readonly authenticatedAt?: Date;
}

export interface IssuedSessionToken {
  readonly sessionToken: string;
  /** The public id of the future session. */
  readonly externalSessionId: string;
  readonly expiresAt: Date;
}

const SESSION_TOKEN_LIFETIME_MILLISECONDS = 5 * 60_000;

/** Issues a token for one use. Call this under the user's lock, after changes that void credentials. */
export async function issueSessionToken(tx: Tx, context: Context, input: SignedIn): Promise<IssuedSessionToken> {
  const { userId, passwordVerifiedAt, authenticatedAt, ...rest } = input;
  const sessionToken = newSessionToken();
  const externalSessionId = newExternalSessionId();
  const expiresAt = new Date(context.now.getTime() + SESSION_TOKEN_LIFETIME_MILLISECONDS);
  const session = {
    ...rest,
    externalSessionId,
    passwordVerifiedAt: passwordVerifiedAt.toISOString(),
    ...(authenticatedAt === undefined ? {} : { authenticatedAt: authenticatedAt.toISOString() }),
  };
  insertSessionToken(tx, context.orgId, { hash: hashSecret(sessionToken), userId, expiresAt, session });
  return { sessionToken, externalSessionId, expiresAt };
}
