import type { AnyRoute } from '../platform/http/index.ts';
import type { AuthnPorts } from './authn/ports.ts';
import { authnRoutes } from './authn/routes.ts';
import type { DiscoveryPorts } from './discovery/discover-provider.ts';
import { discoveryRoutes } from './discovery/routes.ts';
import { federationRoutes } from './federation/routes.ts';
import type { PagesPorts } from './pages/ports.ts';
import { pageRoutes } from './pages/routes.ts';
import { type SessionRoutesPorts, sessionRoutes } from './sessions/routes.ts';

export interface SignInRoutesPorts
  extends AuthnPorts,
    SessionRoutesPorts,
    Omit<DiscoveryPorts, 'policies'>,
    Omit<PagesPorts, 'policies'> {
  readonly policies: AuthnPorts['policies'] & DiscoveryPorts['policies'];
}

export const signInRoutes = (ports: SignInRoutesPorts): AnyRoute[] => [
  ...authnRoutes(ports),
  ...sessionRoutes(ports),
  ...discoveryRoutes(ports),
  ...pageRoutes(ports),
  ...federationRoutes(ports),
];
