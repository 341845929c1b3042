import { paging } from '../../platform/http/index.ts';
import type { PageQuery } from './ports.ts';

export const pageFields = (defaultLimit: number) => paging({ default: defaultLimit, maximum: 200 });

export const pageOf = ({ after, before, limit: rows }: Omit<PageQuery, 'raw'>, raw: PageQuery['raw']): PageQuery => ({
  limit: rows,
  after,
  before,
  raw,
});
