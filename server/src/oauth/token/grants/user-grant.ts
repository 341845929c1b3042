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
  /** Null: the org's own server. */
  readonly server: ServerConfiguration | null;
}

/** Whose password it is. */
export interface ProvedPassword {
  readonly userId: string;
  /** Uses the proof up, under the user's lock. False: it was used, or what it proved was changed since. */
  readonly use: (tx: Tx) => Promise<boolean>;
}

export interface UserGrantPorts extends AppPoliciesPorts, Pick<Foundation, 'db' | 'work'> {
  readonly refreshTexts: RefreshTokenTexts;
  /** Verifies tokens that are brought to be exchanged. */
  readonly exchange: ExchangePorts;
  readonly refusalOfUserAssertion: RefusalOfUserAssertion;
  /** As `/authn` does it. `refused` says no more than that. */
  readonly provePassword: (
    context: Context,
    given: { readonly username: string; readonly password: string },
  ) => Promise<ProvedPassword | 'refused' | 'limited'>;
}

export interface GrantRefusal {
  readonly refused: OAuthErrorCode;
  readonly description?: string;
  /** What the sign-on policy of the app says, where that is what refuses. */
  readonly app?: AppSignOnDecision;
  /** What follows from it, once the client is known to be the one that asked. */
  readonly effect?: (tx: Tx, record: Record) => Promise<void>;
}

/** What tokens are issued by, when it is about to be. */
export interface IssuedFor {
  readonly decision: UserTokenDecision;
  readonly authenticated: AuthenticatedClient;
  readonly key: DpopKey | null;
  /** Of the access token. */
  readonly jti: string;
  /** The user has as many refresh tokens of the client as are kept. */
  readonly hasAllFamilies: boolean;
}

/** A refresh token to be told; `isNew`: it is one of its own, not another turn of one that was. */
export interface ToldRefreshToken {
  readonly id: string;
  readonly text: string;
  readonly isNew: boolean;
  readonly expiresAt: Date;
}

/** What the client brought, locked: nobody else can have it used meanwhile. */
export interface HeldGrant {
  /** When it was issued, by the database's clock; absent: now. */
  readonly heldSince?: Date;
  /** Uses it up. Null: no refresh token goes with it. */
  readonly settle: (tx: Tx, issued: IssuedFor, record: Record) => Promise<ToldRefreshToken | null>;
}

/** By what a client asks for tokens of a user. Read without a lock: `hold` asks again what may have changed. */
export interface UserGrant {
  readonly userId: string;
  /** As they decide what is given: of the first request, or narrower. */
  readonly requestedScopes: string;
  /** The same where they were granted before; absent: a parameter, which has a limit. */
  readonly grantedScopes?: readonly string[];
  /** By which the tokens were asked for first: policies judge that one. */
  readonly grantType: string;
  /** What is told when it does not hold any more, whatever the reason. */
  readonly refusedAs: OAuthErrorCode;
  readonly authentication: Authentication;
  /** For the ID token. */
  readonly nonce: string | null;
  /** Thumbprint of the key that a DPoP proof must show, and the refusal of another one. */
  readonly boundTo: { readonly jkt: string; readonly otherKey: OAuthErrorCode } | null;
  /** When what is brought ends: what is given ends no later. Absent: it is not the kind that ends by itself. */
  readonly expiresBy?: Date;
  /** What the answer calls the access token (RFC 8693 2.2.1). */
  readonly issuedTokenType?: string;
  /** What the event tells beside what decided. */
  readonly debugData?: UserTokenDecision['debugData'];
  readonly hold: (tx: Tx) => Promise<HeldGrant | GrantRefusal>;
  /** A last word on what was decided. */
  readonly check?: (decision: UserTokenDecision, parents: TokenParents) => GrantRefusal | null;
}

/** Reads what a request brought; `key`: of clients that prove one with whatever they ask. A refusal is returned. */
export type ReadUserGrant = (
  ports: UserGrantPorts,
  context: Context,
  place: TokenPlace,
  proof: AuthenticatedRequest,
  request: TokenRequest,
) => Promise<UserGrant | OAuthErrorRefusal>;
