import { cursor, limit } from '../../platform/http/index.ts';
import type { PageQuery } from './ports.ts';

/** Parameters of a list whose pages hold so many unless the client says otherwise. */
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
