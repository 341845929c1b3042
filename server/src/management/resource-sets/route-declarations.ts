import type { Foundation } from '../../system-log/index.ts';

export type ResourceSetRoutesPorts = Pick<Foundation, 'db' | 'work' | 'cursors'>;

export const setsPath = '/api/v1/iam/resource-sets';
export const setUrl = `${setsPath}/:resourceSetIdOrLabel`;

export const BODY_LIMIT = {
  bytes: 262_144,
  reason: 'Up to 1,000 addresses of some 200 characters.',
};
