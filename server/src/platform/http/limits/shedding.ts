import { type ApiError, apiError } from '../../../kernel/errors/errors.ts';
import type { AnyRoute } from '../route.ts';
import type { RateLimitBucket } from './rate-limit-buckets.ts';

/** The changes that are refused because events arrive faster than they are processed. */
export type Shedding = 'none' | 'administrative' | 'everything';

/** The lowest level at which changes in each bucket are refused; null means never. */
const WAITS_FROM: Readonly<Record<RateLimitBucket, 'administrative' | 'everything' | null>> = {
  users: 'administrative',
  user: 'administrative',
  logs: 'administrative',
  management: 'administrative',
  clients: 'administrative',
  authn: 'everything',
  sessions: 'everything',
  oauth: 'everything',
  authorize: 'everything',
  unlimited: null,
};

const RETRY_AFTER_SECONDS = { administrative: '10', everything: '2' };

/** A GET with `writes` counts as a change. Any route with `readOnly` counts as a read. */
export function refusalOf(
  shedding: Shedding,
  route: Pick<AnyRoute, 'method' | 'bucket' | 'readOnly' | 'writes'>,
): ApiError | null {
  const isRead = route.readOnly === true || (route.method === 'GET' && route.writes !== true);
  if (shedding === 'none' || isRead) return null;
  const from = WAITS_FROM[route.bucket];
  if (from === null || (from === 'everything' && shedding !== 'everything')) return null;
  return apiError('E0000181', { headers: { 'retry-after': RETRY_AFTER_SECONDS[from] } });
}
