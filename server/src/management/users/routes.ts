import type { AnyRoute } from '../../platform/http/index.ts';
import { lifecycleRoutes } from './lifecycle/lifecycle-routes.ts';
import { credentialRoutes } from './records/credential-routes.ts';
import { crudRoutes } from './records/crud-routes.ts';
import type { UserRoutesPorts } from './route-ports.ts';

export const userRoutes = (ports: UserRoutesPorts): AnyRoute[] => [
  ...crudRoutes(ports),
  ...lifecycleRoutes(ports),
  ...credentialRoutes(ports),
];
