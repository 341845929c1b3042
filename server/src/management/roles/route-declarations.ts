import type { Context } from '../../kernel/context.ts';
import type { Foundation } from '../../system-log/index.ts';

export interface RoleRoutesPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  readonly wireGroups: (
    context: Context,
    groupIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;
}

const common = { access: 'authenticated', bucket: 'management', cors: false } as const;
export const reading = { ...common, scopes: ['roles.read'], permission: 'roles.read' } as const;
export const managing = { ...common, scopes: ['roles.manage'], permission: 'roles.manage' } as const;
