import type { AppId, ClientId } from '../../../kernel/words/ids.ts';
import type { PublicJwk } from '../keys/jwk-rules.ts';
import type { AppStatus } from '../lifecycle.ts';

export interface ClientCredentials {
  readonly clientId: ClientId;
  readonly appId: AppId;
  readonly label: string;
  readonly status: AppStatus;
  readonly applicationType: string;
  /** Grant types in their stored form, without the namespace word. */
  readonly grantTypes: readonly string[];
  readonly tokenEndpointAuthMethod: string;
  /**
   * Whether the client may send its secret in the header or in the body, although its method is `client_secret_basic`.
   */
  readonly takesSecretEitherWay: boolean;
  readonly dpopBoundAccessTokens: boolean;
  /** This is null when the client does not sign its backchannel authentication requests. */
  readonly backchannelRequestSigningAlg: string | null;
  readonly consentMethod: 'REQUIRED' | 'TRUSTED';
  /** This is null when the client gets no refresh tokens. */
  readonly refreshToken: { readonly rotation_type: 'ROTATE' | 'STATIC'; readonly leeway: number } | null;
  readonly jwksUri: string | null;
  /** The active keys that are registered with the client, without those at its `jwks_uri`. */
  readonly keys: readonly { readonly id: string; readonly kid: string | null; readonly jwk: PublicJwk }[];
  /** The SHA-256 hash of each active secret. */
  readonly secretHashes: readonly Buffer[];
  /** The active secrets, sealed. The list is empty unless the client signs assertions with its secret. */
  readonly sealedSecrets: readonly { readonly id: string; readonly sealedSecret: Buffer }[];
  /** The scopes that are granted to the client, without the namespace word. */
  readonly scopes: readonly string[];
  /** The types of the client's standard administrator roles. */
  readonly roles: readonly string[];
  /** Tokens issued before this time are void. */
  readonly validAfter: Date;
}

/**
 * The current state of a client. If the caller locked the client first, it cannot change until the transaction ends.
 */
export interface LiveClient extends Pick<ClientCredentials, 'status' | 'applicationType' | 'validAfter' | 'scopes'> {
  /** The time of this read, by the database's clock. It is later than the lock, if the caller took one. */
  readonly issuedAt: Date;
}
