import { cursor, limit } from '../../platform/http/index.ts';
import type { PageQuery } from './ports.ts';

/** Parameters of a list with this page size by default. */
export const pageFields = (defaultLimit: number) => ({
  limit: limit({ default: defaultLimit, maximum: 200 }),
  after: cursor('Cursor of the next page.'),
  before: cursor('Cursor of the previous page.'),
});

export const pageOf = ({ after, before, limit: rows }: Omit<PageQuery, 'raw'>, raw: PageQuery['raw']): PageQuery => ({
  limit: rows,
  after,
  before,
  raw,
});
