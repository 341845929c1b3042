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
import type { Authentication, SeenParents, TokenParents, UserTokenDecision } from '../../user-tokens/index.ts';
import type { AuthenticatedRequest, DpopKey, EndpointPlace } from '../authenticate-request.ts';
import type { TokenRequest } from '../request-rules.ts';
import type { GrantFinders } from './find-grant.ts';

export interface TokenPlace extends EndpointPlace {
  /** Null means the org's own server. */
  readonly server: ServerConfiguration | null;
}

export interface ProvedPassword {
  readonly userId: string;
  /** Consumes the session token that the verification created. */
  readonly use: (tx: Tx) => Promise<boolean>;
}

export interface UserGrantPorts extends AppPoliciesPorts, Pick<Foundation, 'db' | 'work'> {
  readonly refreshTexts: RefreshTokenTexts;
  readonly grants: GrantFinders;
  readonly exchange: ExchangePorts;
  readonly refusalOfUserAssertion: RefusalOfUserAssertion;
  /** Verifies a password as `/authn` does. `limited` means that there were too many attempts. */
  readonly provePassword: (
    context: Context,
    given: { readonly username: string; readonly password: string },
  ) => Promise<ProvedPassword | 'refused' | 'limited'>;
}

export interface GrantRefusal {
  readonly refused: OAuthErrorCode;
  readonly description?: string;
  /** The decision of the app's sign-on policy, present only if it caused the refusal. */
  readonly app?: AppSignOnDecision;
  /** Makes the changes that the refusal causes. Runs only after the client's authentication is complete. */
  readonly effect?: (tx: Tx, record: Record) => Promise<void>;
}

export interface IssuedFor {
  readonly decision: UserTokenDecision;
  readonly authenticated: AuthenticatedClient;
  readonly key: DpopKey | null;
  readonly jti: string;
  /**
   * Whether the user has the maximum number of refresh tokens of the client on the server; false if this was not read.
   */
  readonly hasAllFamilies: boolean;
}

/** A refresh token to return. `isNew` means that it has not been returned before, so an event records its issue. */
export interface IssuedRefreshToken {
  readonly id: string;
  readonly text: string;
  readonly isNew: boolean;
  readonly expiresAt: Date;
}

/** A grant that is locked and still valid. */
export interface LockedUserGrant {
  /**
   * The time at which the grant was issued. Later changes, such as a revoked consent, may void the grant. A grant that
   * is not stored has no such time.
   */
  readonly heldSince?: Date;
  /** Updates or deletes the grant if it is stored. Returns null if no refresh token is issued. */
  readonly settle: (tx: Tx, issued: IssuedFor, record: Record) => Promise<IssuedRefreshToken | null>;
}

/** A seen grant for a transaction that requests with other grants share (see `SharedWork`). */
export interface SharedGrant {
  /** Requests with the same key never share a transaction. */
  readonly key: string;
  /** Locks the grant together with those of other requests. Returns false if it is locked or has changed. */
  readonly lock: (tx: Tx) => Promise<boolean>;
  readonly held: LockedUserGrant;
}

/** A grant that is valid if nothing has changed since it was read. */
export interface SeenGrant {
  readonly parents: SeenParents;
  readonly shared: SharedGrant;
  /** Makes the unit of work fail if the grant is no longer as it was read (see `assuming`). */
  readonly held: LockedUserGrant;
  /** Does the same for a refusal, which settles nothing. Locks the grant without awaiting the result. */
  readonly assume: (tx: Tx) => void;
}

/** A grant that was read without a lock. `lock` checks it again. */
export interface UserGrant {
  readonly userId: string;
  /** The scopes to decide about, separated by spaces. */
  readonly requestedScopes: string;
  /**
   * The scopes to decide about, if they were granted before. Unlike `requestedScopes`, this list may have any length.
   */
  readonly grantedScopes?: readonly string[];
  /** The grant type that policies evaluate. For a refresh, it is the grant type of the first request. */
  readonly grantType: string;
  /** The error for a grant that is no longer valid. */
  readonly refusedAs: OAuthErrorCode;
  readonly authentication: Authentication;
  readonly nonce: string | null;
  /** The thumbprint of the key that a DPoP proof must show, and the error for any other key. */
  readonly boundTo: { readonly jkt: string; readonly otherKey: OAuthErrorCode } | null;
  /** The latest expiry of the access token and the ID token; absent if the presented grant does not limit it. */
  readonly expiresBy?: Date;
  /** The `issued_token_type` of the response (RFC 8693 2.2.1). */
  readonly issuedTokenType?: string;
  /** Details for the event, in addition to the reasons for the decision. */
  readonly debugData?: UserTokenDecision['debugData'];
  readonly lock: (tx: Tx) => Promise<LockedUserGrant | GrantRefusal>;
  /** The grant for a decision that does not wait for locks; absent if the grant must be locked first. */
  readonly seen?: SeenGrant;
  readonly check?: (decision: UserTokenDecision, parents: TokenParents) => GrantRefusal | null;
}

/** `proof.key` is set only for a client that must always send a DPoP proof. */
export type ReadUserGrant = (
  ports: UserGrantPorts,
  context: Context,
  place: TokenPlace,
  proof: AuthenticatedRequest,
  request: TokenRequest,
) => Promise<UserGrant | OAuthErrorRefusal>;
