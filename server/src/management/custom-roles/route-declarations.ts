import type { CursorCodec } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';

export interface CustomRoleRoutesPorts {
  readonly db: Db;
  readonly work: Work;
  readonly cursors: CursorCodec;
}

const common = { access: 'authenticated', bucket: 'management', cors: false } as const;
export const reading = { ...common, scopes: ['roles.read'], permission: 'roles.read' } as const;
export const managing = { ...common, scopes: ['roles.manage'], permission: 'roles.manage' } as const;
export const collection = '/api/v1/iam/roles';
export const single = `${collection}/:roleIdOrLabel`;
