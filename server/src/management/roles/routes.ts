import type { AnyRoute } from '../../platform/http/index.ts';
import { assignmentRoutes } from './assignment-routes.ts';
import { bindingMemberRoutes } from './binding-member-routes.ts';
import { bindingRoutes } from './binding-routes.ts';
import { FAMILIES } from './families.ts';
import type { RoleRoutesPorts } from './route-declarations.ts';
import { targetRoutes } from './target-routes.ts';
import { userRoleRoutes } from './user-routes.ts';

/** Who holds which role, and as far as what (contract section 14). */
export const roleRoutes = (ports: RoleRoutesPorts): AnyRoute[] => [
  ...FAMILIES.flatMap((family) => [...assignmentRoutes(ports, family), ...targetRoutes(ports, family)]),
  ...userRoleRoutes(ports),
  ...bindingRoutes(ports),
  ...bindingMemberRoutes(ports),
];
