import type { Foundation } from '../../system-log/index.ts';

export type CustomRoleRoutesPorts = Pick<Foundation, 'db' | 'work' | 'cursors'>;

const common = { access: 'authenticated', bucket: 'management', cors: false } as const;
export const reading = { ...common, scopes: ['roles.read'], permission: 'roles.read' } as const;
export const managing = { ...common, scopes: ['roles.manage'], permission: 'roles.manage' } as const;
export const collection = '/api/v1/iam/roles';
export const single = `${collection}/:roleIdOrLabel`;
