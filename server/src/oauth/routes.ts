import type { UsersPorts } from '../management/users/index.ts';
import type { MakeKeyPair } from '../platform/crypto/index.ts';
import type { AnyRoute } from '../platform/http/index.ts';
import type { Pages } from '../platform/pages/index.ts';
import type { Sessions } from '../sign-in/index.ts';
import type { Foundation } from '../system-log/index.ts';
import { appLaunchRoutes } from './app-launch/routes.ts';
import { pushRoutes } from './authorization/requests/push-routes.ts';
import { authorizationRoutes } from './authorization/routes.ts';
import { backchannelRoutes } from './backchannel/routes.ts';
import { consentRoutes } from './consents/routes.ts';
import { deviceRoutes } from './device/routes.ts';
import { discoveryRoutes } from './discovery/routes.ts';
import { createDpopNonces } from './dpop/nonces.ts';
import { introspectionRoutes } from './introspection/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { logoutRoutes } from './logout/routes.ts';
import type { OAuth } from './oauth.ts';
import { type RegistrationRoutesPorts, registrationRoutes } from './registration/routes.ts';
import { revocationRoutes } from './revocation/routes.ts';
import { createRefusals } from './token/refusals.ts';
import { type TokenRoutesPorts, tokenRoutes } from './token/routes.ts';
import { userInfoRoutes } from './userinfo/routes.ts';

export interface OAuthRoutesPorts
  extends Pick<Foundation, 'db' | 'work' | 'newSharedWork' | 'clock' | 'masterKey' | 'cursors'> {
  readonly oauth: OAuth;
  readonly makeKeyPair: MakeKeyPair;
  /** Returns the scopes of the API, without the namespace word. */
  readonly scopes: () => readonly string[];
  readonly refused: TokenRoutesPorts['refused'];
  readonly authn: TokenRoutesPorts['authn'];
  readonly users: UsersPorts;
  readonly pages: Pages;
  readonly formKey: Buffer;
  readonly apps: RegistrationRoutesPorts;
  readonly sessions: Sessions;
}

export function oauthRoutes({ oauth, ...ports }: OAuthRoutesPorts): AnyRoute[] {
  const dpopNonces = createDpopNonces(ports.masterKey.subkey('dpop nonces'));
  const shared = { ...oauth, ...ports, clients: oauth.authenticator, dpopNonces };
  const authorizing = { ...shared, refusals: createRefusals(ports) };
  return [
    ...discoveryRoutes(shared),
    ...keyRoutes(shared),
    ...authorizationRoutes(authorizing),
    ...pushRoutes(authorizing),
    ...deviceRoutes({ ...authorizing, userCodeKey: ports.masterKey.subkey('user codes') }),
    ...backchannelRoutes(authorizing),
    ...tokenRoutes(shared),
    ...introspectionRoutes(shared),
    ...revocationRoutes(shared),
    ...userInfoRoutes(shared),
    ...consentRoutes(shared),
    ...registrationRoutes(ports.apps),
    ...logoutRoutes(shared),
    ...appLaunchRoutes(shared),
  ];
}
