import type { AnyRoute } from '../../platform/http/index.ts';
import { groupCrudRoutes } from './group-routes.ts';
import { memberRoutes } from './member-routes.ts';
import { ownerRoutes } from './owner-routes.ts';
import type { GroupsPorts } from './ports.ts';

/** Groups, who is in them and who owns them. */
export const groupRoutes = (ports: GroupsPorts): AnyRoute[] => [
  ...groupCrudRoutes(ports),
  ...memberRoutes(ports),
  ...ownerRoutes(ports),
];
