import type { ClientId } from '../../kernel/words/ids.ts';
export interface LogoutToken {
  readonly issuer: string;
  readonly clientId: ClientId;
  readonly userId: string;
  readonly sessionExternalId: string;
  readonly jti: string;
  readonly now: Date;
}

/** The value of `typ` in the header (OpenID Connect Back-Channel Logout 1.0 section 2.4). */
export const LOGOUT_TOKEN_TYPE = 'logout+jwt';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** OpenID Connect Back-Channel Logout 1.0 section 4 recommends a lifetime of at most two minutes. */
const LIFETIME_SECONDS = 120;

/** Returns the claims of a logout token (OpenID Connect Back-Channel Logout 1.0 2.4). */
export function logoutClaims({ clientId, issuer, jti, now, sessionExternalId, userId }: LogoutToken) {
  const iat = Math.floor(now.getTime() / 1_000);
  return {
    iss: issuer,
    sub: userId,
    aud: clientId,
    iat,
    exp: iat + LIFETIME_SECONDS,
    jti,
    sid: sessionExternalId,
    events: { [EVENT]: {} },
  };
}

export type Delivery = 'told' | 'again' | 'refused';

/** 200 and 204 mean success (OpenID Connect Back-Channel Logout 1.0 2.8). */
export function deliveryOf(status: number): Delivery {
  if (status === 200 || status === 204) return 'told';
  return status >= 500 || status === 408 || status === 429 ? 'again' : 'refused';
}
