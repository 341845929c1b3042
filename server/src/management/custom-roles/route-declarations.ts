import type { Foundation } from '../../system-log/index.ts';

export type CustomRoleRoutesPorts = Pick<Foundation, 'db' | 'work' | 'cursors'>;

export const rolesPath = '/api/v1/iam/roles';
export const roleUrl = `${rolesPath}/:roleIdOrLabel`;
