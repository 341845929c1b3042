import type { Clock } from '../kernel/clock.ts';
import type { MasterKey } from '../platform/crypto/index.ts';
import type { AnyRoute } from '../platform/http/index.ts';
import type { Db } from '../platform/postgres/index.ts';
import type { Work } from '../system-log/index.ts';
import { discoveryRoutes } from './discovery/routes.ts';
import { introspectionRoutes } from './introspection/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import type { OAuth } from './oauth.ts';
import { revocationRoutes } from './revocation/routes.ts';
import { type TokenRoutesPorts, tokenRoutes } from './token/routes.ts';

export interface OAuthRoutesPorts {
  readonly oauth: OAuth;
  readonly db: Db;
  readonly work: Work;
  readonly clock: Clock;
  readonly masterKey: MasterKey;
  /** Neutral scopes of the API. */
  readonly scopes: () => readonly string[];
  readonly refused: TokenRoutesPorts['refused'];
}

/** Every route of the org's authorization servers, its own and custom ones, and of their keys. */
export function oauthRoutes({ oauth, ...ports }: OAuthRoutesPorts): AnyRoute[] {
  const shared = { ...oauth, ...ports, clients: oauth.authenticator };
  return [
    ...discoveryRoutes(shared),
    ...keyRoutes(shared),
    ...tokenRoutes(shared),
    ...introspectionRoutes(shared),
    ...revocationRoutes(shared),
  ];
}
