import type { AppId, ClientId } from '../../../kernel/words/ids.ts';
import type { PublicJwk } from '../keys/jwk-rules.ts';
import type { AppStatus } from '../lifecycle.ts';

/** What proves a client, and what it may ask for. */
export interface ClientCredentials {
  readonly clientId: ClientId;
  readonly appId: AppId;
  readonly label: string;
  readonly status: AppStatus;
  readonly applicationType: string;
  /** As they are stored: the namespace's word stands in none. */
  readonly grantTypes: readonly string[];
  readonly tokenEndpointAuthMethod: string;
  /** Its secret may come in the header or in the body, whatever the method says. */
  readonly takesSecretEitherWay: boolean;
  readonly dpopBoundAccessTokens: boolean;
  /** Of its backchannel authentication requests; null: it does not sign them. */
  readonly backchannelRequestSigningAlg: string | null;
  readonly consentMethod: 'REQUIRED' | 'TRUSTED';
  /** How its refresh tokens change with their use; null: it has none. */
  readonly refreshToken: { readonly rotation_type: 'ROTATE' | 'STATIC'; readonly leeway: number } | null;
  readonly jwksUri: string | null;
  /** Active ones. */
  readonly keys: readonly { readonly id: string; readonly kid: string | null; readonly jwk: PublicJwk }[];
  /** SHA-256 of each active secret. */
  readonly secretHashes: readonly Buffer[];
  /** Each active secret as it is sealed, of a client that signs with them; else none. */
  readonly sealedSecrets: readonly { readonly id: string; readonly sealedSecret: Buffer }[];
  /** Neutral scopes that are granted to it. */
  readonly scopes: readonly string[];
  /** Types of its administrator roles. */
  readonly roles: readonly string[];
  /** Tokens issued before are void. */
  readonly validAfter: Date;
}

/** A client that nobody changes until the transaction ends. */
export interface LiveClient extends Pick<ClientCredentials, 'status' | 'applicationType' | 'validAfter' | 'scopes'> {
  /** By the database's clock, after the lock was had: what is issued now is newer than every revocation before. */
  readonly issuedAt: Date;
}
