import type { AppId, ClientId } from '../../../kernel/words/ids.ts';
import type { PublicJwk } from '../keys/jwk-rules.ts';
import type { AppStatus } from '../lifecycle.ts';

/** The credentials of a client, with its grant types and scopes. */
export interface ClientCredentials {
  readonly clientId: ClientId;
  readonly appId: AppId;
  readonly label: string;
  readonly status: AppStatus;
  readonly applicationType: string;
  /** The stored form, in which no grant type carries the namespace word. */
  readonly grantTypes: readonly string[];
  readonly tokenEndpointAuthMethod: string;
  /** The client's secret is accepted in the header and in the body, regardless of the method. */
  readonly takesSecretEitherWay: boolean;
  readonly dpopBoundAccessTokens: boolean;
  /** Algorithm of the client's backchannel authentication requests; null when it does not sign them. */
  readonly backchannelRequestSigningAlg: string | null;
  readonly consentMethod: 'REQUIRED' | 'TRUSTED';
  /** How the client's refresh tokens change with use; null when it gets none. */
  readonly refreshToken: { readonly rotation_type: 'ROTATE' | 'STATIC'; readonly leeway: number } | null;
  readonly jwksUri: string | null;
  /** Active keys only. */
  readonly keys: readonly { readonly id: string; readonly kid: string | null; readonly jwk: PublicJwk }[];
  /** SHA-256 of each active secret. */
  readonly secretHashes: readonly Buffer[];
  /** Active secrets, sealed, of a client that signs with them; empty for all others. */
  readonly sealedSecrets: readonly { readonly id: string; readonly sealedSecret: Buffer }[];
  /** Neutral scopes that are granted to the client. */
  readonly scopes: readonly string[];
  /** Types of the client's administrator roles. */
  readonly roles: readonly string[];
  /** Tokens issued before this time are void. */
  readonly validAfter: Date;
}

/** A client that is locked against change until the transaction ends. */
export interface LiveClient extends Pick<ClientCredentials, 'status' | 'applicationType' | 'validAfter' | 'scopes'> {
  /**
   * Time of the database after the lock was taken, so that a token issued now is newer than every earlier revocation.
   */
  readonly issuedAt: Date;
}
