import type { OrgId } from '../kernel/words/ids.ts';
import { createRemoteKeySets } from '../management/apps/index.ts';
import { type MakeKeyPair, subkeysOf } from '../platform/crypto/index.ts';
import type { Authenticated, Credential } from '../platform/http/index.ts';
import type { JobKind } from '../platform/jobs/index.ts';
import type { Outbound } from '../platform/outbound/index.ts';
import type { FindById } from '../platform/postgres/index.ts';
import type { Foundation } from '../system-log/index.ts';
import {
  type AccessTokens,
  createAccessTokens,
  createTokenVerifier,
  type TokenVerifier,
} from './access-tokens/index.ts';
import type { AppPoliciesPorts } from './app-sign-on/index.ts';
import { authenticateToken } from './authenticate-token.ts';
import { createRequestObjects, type RequestObjects } from './authorization/requests/request-object.ts';
import {
  type ClientAuthenticationPorts,
  type ClientAuthenticator,
  createClientAuthenticator,
} from './client-authentication/authenticate-client.ts';
import { type RefusalOfUserAssertion, userAssertionsOver } from './client-authentication/verify-assertion.ts';
import {
  createServerConfigurations,
  createServerTokenVerifier,
  type ServerConfigurations,
  type ServerTokenVerifier,
} from './custom-servers/index.ts';
import { createSigningKeys, type SigningKeys, signingKeyJobs } from './keys/index.ts';
import { type LogoutJobPorts, logoutNotices } from './logout/index.ts';
import { createRefreshTokenTexts, type RefreshTokenTexts } from './refresh-tokens/index.ts';
import { type TokenUser, tokenUserReader } from './user-tokens/index.ts';

export interface OAuthOptions
  extends AppPoliciesPorts,
    Pick<Foundation, 'db' | 'work' | 'clock' | 'namespace' | 'masterKey'> {
  readonly makeKeyPair: MakeKeyPair;
  /** Returns whether an origin is one of the org's own addresses. */
  readonly isOwnOrigin: (orgId: OrgId, origin: string) => Promise<boolean>;
  /** Returns whether the issuer in the org's tokens may have this origin. */
  readonly isIssuerOrigin: (orgId: OrgId, origin: string) => Promise<boolean>;
  readonly refused: ClientAuthenticationPorts['refused'];
  readonly outbound: Outbound;
  readonly addressOf: LogoutJobPorts['addressOf'];
}

export interface OAuth extends AppPoliciesPorts {
  readonly signingKeys: SigningKeys;
  readonly accessTokens: AccessTokens;
  readonly verifier: TokenVerifier;
  readonly authenticator: ClientAuthenticator;
  readonly servers: ServerConfigurations;
  readonly serverVerifier: ServerTokenVerifier;
  readonly requestObjects: RequestObjects;
  readonly refusalOfUserAssertion: RefusalOfUserAssertion;
  readonly isOwnOrigin: OAuthOptions['isOwnOrigin'];
  readonly isIssuerOrigin: OAuthOptions['isIssuerOrigin'];
  readonly refreshTexts: RefreshTokenTexts;
  readonly findTokenUser: FindById<TokenUser>;
  readonly jobs: Readonly<Record<string, JobKind>>;
  /** Jobs that wait for external hosts. */
  readonly notices: Readonly<Record<string, JobKind>>;
  authenticate(orgId: OrgId, credential: Credential, now: Date): Promise<Authenticated | null>;
  /** Reloads the copies of public documents that are served while the database is unreachable. */
  refreshKept(): Promise<void>;
}

export function createOAuth(options: OAuthOptions): OAuth {
  const { db, namespace } = options;
  const signingKeys = createSigningKeys(options);
  const verifier = createTokenVerifier({ ...options, signingKeys });
  const assertions = { ...options, keySets: createRemoteKeySets(options) };
  const authenticator = createClientAuthenticator(assertions);
  const servers = createServerConfigurations(options);
  const serverVerifier = createServerTokenVerifier({ ...options, signingKeys });
  return {
    signingKeys,
    accessTokens: createAccessTokens({ signingKeys, namespace }),
    verifier,
    authenticator,
    servers,
    serverVerifier,
    requestObjects: createRequestObjects(assertions),
    refusalOfUserAssertion: userAssertionsOver(assertions),
    isOwnOrigin: options.isOwnOrigin,
    appSignOn: options.appSignOn,
    zonesOf: options.zonesOf,
    isIssuerOrigin: options.isIssuerOrigin,
    refreshTexts: createRefreshTokenTexts(...subkeysOf(options.masterKey, 'refresh tokens')),
    findTokenUser: tokenUserReader(db),
    jobs: signingKeyJobs(options),
    notices: logoutNotices({ ...options, signingKeys, servers }),
    authenticate: (orgId, credential, now) => authenticateToken({ db, verifier }, orgId, credential, now),
    refreshKept: async () => {
      for (const copies of [signingKeys, servers]) await copies.refreshKept();
    },
  };
}
