import type { AnyRoute } from '../../../platform/http/index.ts';
import { approvalRoutes } from '../absent-users/approval-routes.ts';
import { grantRoutes } from '../grants/grant-routes.ts';
import { jwkRoutes } from '../keys/jwk-routes.ts';
import type { AppRoutesPorts } from '../route-ports.ts';
import { secretRoutes } from '../secrets/secret-routes.ts';

export const clientRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  ...jwkRoutes(ports),
  ...secretRoutes(ports),
  ...grantRoutes(ports),
  ...approvalRoutes(ports),
];
