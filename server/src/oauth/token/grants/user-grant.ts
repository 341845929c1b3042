import type { Context } from '../../../kernel/context.ts';
import type { OAuthErrorCode } from '../../../kernel/errors/oauth-errors.ts';
import type { AppSignOnDecision } from '../../../management/policies/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Foundation, Record } from '../../../system-log/index.ts';
import type { AppPoliciesPorts } from '../../app-sign-on/index.ts';
import type { AuthenticatedClient } from '../../client-authentication/authenticate-client.ts';
import type { OAuthErrorRefusal } from '../../client-authentication/refusal.ts';
import type { RefusalOfUserAssertion } from '../../client-authentication/verify-assertion.ts';
import type { ServerConfiguration } from '../../custom-servers/index.ts';
import type { RefreshTokenTexts } from '../../refresh-tokens/index.ts';
import type { ExchangePorts } from '../../token-exchange/presented-token.ts';
import type { Authentication, TokenParents, UserTokenDecision } from '../../user-tokens/index.ts';
import type { AuthenticatedRequest, DpopKey, EndpointPlace } from '../authenticate-request.ts';
import type { TokenRequest } from '../request-rules.ts';

/** A server's token endpoint. */
export interface TokenPlace extends EndpointPlace {
  /** Null means the org's own server. */
  readonly server: ServerConfiguration | null;
}

/** The user whose password was verified. */
export interface ProvedPassword {
  readonly userId: string;
  /** Consumes the evidence, a session token. Returns false if it was used or voided, for example by a new password. */
  readonly use: (tx: Tx) => Promise<boolean>;
}

export interface UserGrantPorts extends AppPoliciesPorts, Pick<Foundation, 'db' | 'work'> {
  readonly refreshTexts: RefreshTokenTexts;
  /** Reads and verifies the tokens of an exchange. */
  readonly exchange: ExchangePorts;
  readonly refusalOfUserAssertion: RefusalOfUserAssertion;
  /** Checks a password as `/authn` does. `refused` does not reveal the reason. */
  readonly provePassword: (
    context: Context,
    given: { readonly username: string; readonly password: string },
  ) => Promise<ProvedPassword | 'refused' | 'limited'>;
}

export interface GrantRefusal {
  readonly refused: OAuthErrorCode;
  readonly description?: string;
  /** The decision of the app's sign-on policy, if the policy caused the refusal. */
  readonly app?: AppSignOnDecision;
  /** The consequence of the refusal. It applies only after it is certain that the client itself made the request. */
  readonly effect?: (tx: Tx, record: Record) => Promise<void>;
}

export interface IssuedFor {
  readonly decision: UserTokenDecision;
  readonly authenticated: AuthenticatedClient;
  readonly key: DpopKey | null;
  readonly jti: string;
  /** Whether the user has the maximum number of refresh tokens of the client on the server. */
  readonly hasAllFamilies: boolean;
}

/** A refresh token to return. `isNew` means that its text is new, so that its issue is recorded. */
export interface IssuedRefreshToken {
  readonly id: string;
  readonly text: string;
  readonly isNew: boolean;
  readonly expiresAt: Date;
}

/** A grant under its lock, so that nobody else can use it in the meantime. */
export interface LockedUserGrant {
  /** The time at which the grant was issued, by the database's clock. If absent, no earlier change voids the grant. */
  readonly heldSince?: Date;
  /** Consumes the grant. Returns null if no refresh token is issued. */
  readonly settle: (tx: Tx, issued: IssuedFor, record: Record) => Promise<IssuedRefreshToken | null>;
}

/** A grant is read without a lock, and `lock` checks again everything that may have changed. */
export interface UserGrant {
  readonly userId: string;
  /** The scopes to decide about: those of the first request, or fewer. */
  readonly requestedScopes: string;
  /** The scopes to decide about, if granted before. Otherwise they come from a parameter, whose length is limited. */
  readonly grantedScopes?: readonly string[];
  /** The grant type of the first request for these tokens, which policies evaluate. */
  readonly grantType: string;
  /** The error for a grant that is no longer valid. */
  readonly refusedAs: OAuthErrorCode;
  readonly authentication: Authentication;
  readonly nonce: string | null;
  /** The thumbprint of the key that a DPoP proof must show, and the error for any other key. */
  readonly boundTo: { readonly jkt: string; readonly otherKey: OAuthErrorCode } | null;
  /** The latest expiry of the new token. Absent if the presented grant does not limit it. */
  readonly expiresBy?: Date;
  /** The `issued_token_type` of the response (RFC 8693 2.2.1). */
  readonly issuedTokenType?: string;
  /** Details for the event, in addition to the reasons for the decision. */
  readonly debugData?: UserTokenDecision['debugData'];
  readonly lock: (tx: Tx) => Promise<LockedUserGrant | GrantRefusal>;
  readonly check?: (decision: UserTokenDecision, parents: TokenParents) => GrantRefusal | null;
}

/** `proof.key` is the key of a client that must always send a DPoP proof. A refusal is returned, not thrown. */
export type ReadUserGrant = (
  ports: UserGrantPorts,
  context: Context,
  place: TokenPlace,
  proof: AuthenticatedRequest,
  request: TokenRequest,
) => Promise<UserGrant | OAuthErrorRefusal>;
