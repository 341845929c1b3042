import type { AnyRoute } from '../../platform/http/index.ts';
import { credentialRoutes } from './credential-routes.ts';
import { crudRoutes } from './crud-routes.ts';
import { lifecycleRoutes } from './lifecycle-routes.ts';
import type { UserRoutesPorts } from './route-ports.ts';

/** Every operation on users, in the order in which the docs list them. */
export const userRoutes = (ports: UserRoutesPorts): AnyRoute[] => [
  ...crudRoutes(ports),
  ...lifecycleRoutes(ports),
  ...credentialRoutes(ports),
];
