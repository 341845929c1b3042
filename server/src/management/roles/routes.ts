import type { AnyRoute } from '../../platform/http/index.ts';
import { assignmentRoutes } from './assignments/assignment-routes.ts';
import { userRoleRoutes } from './assignments/user-routes.ts';
import { bindingMemberRoutes } from './bindings/binding-member-routes.ts';
import { bindingRoutes } from './bindings/binding-routes.ts';
import type { RoleRoutesPorts } from './route-declarations.ts';
import { FAMILIES } from './targets/families.ts';
import { targetRoutes } from './targets/target-routes.ts';

export const roleRoutes = (ports: RoleRoutesPorts): AnyRoute[] => [
  ...FAMILIES.flatMap((family) => [...assignmentRoutes(ports, family), ...targetRoutes(ports, family)]),
  ...userRoleRoutes(ports),
  ...bindingRoutes(ports),
  ...bindingMemberRoutes(ports),
];
