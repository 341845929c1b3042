import { cursor, limit } from '../../platform/http/index.ts';
import type { PageQuery } from './servers/list-servers.ts';

const common = { access: 'authenticated', bucket: 'management', cors: false } as const;

/** Members that all route declarations share. */
export const reading = {
  ...common,
  scopes: ['authorizationServers.read'],
  permission: 'authorizationServers.read',
} as const;
export const managing = {
  ...common,
  scopes: ['authorizationServers.manage'],
  permission: 'authorizationServers.manage',
} as const;

export const serverCollection = '/api/v1/authorizationServers';
export const serverSingle = `${serverCollection}/:authServerId`;

/** Parameters of a list with pages of at most `maximum`. */
export const pageFields = (maximum: number) => ({
  limit: limit({ default: maximum, maximum }),
  after: cursor('Cursor of the next page.'),
  before: cursor('Cursor of the previous page.'),
});

export const pageOf = ({ after, before, limit: rows }: Omit<PageQuery, 'raw'>, raw: PageQuery['raw']): PageQuery => ({
  limit: rows,
  after,
  before,
  raw,
});
