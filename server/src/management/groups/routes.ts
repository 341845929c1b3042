import type { AnyRoute } from '../../platform/http/index.ts';
import { memberRoutes } from './members/member-routes.ts';
import { ownerRoutes } from './owners/owner-routes.ts';
import type { GroupsPorts } from './ports.ts';
import { groupCrudRoutes } from './records/group-routes.ts';

export const groupRoutes = (ports: GroupsPorts): AnyRoute[] => [
  ...groupCrudRoutes(ports),
  ...memberRoutes(ports),
  ...ownerRoutes(ports),
];
