import { type Db, type Outdated, sweep } from '../../platform/postgres/index.ts';

const OLD_REQUESTS: Outdated = {
  table: 'authorization_requests',
  key: { request_hash: 'bytea' },
  condition: 'expires_at < $1',
};

/** Deletes expired authorization requests of all orgs, at most `maximum`. Returns true if there may be more. */
export const dropOldAuthorizationRequests = (db: Db, expiredBefore: Date, maximum?: number): Promise<boolean> =>
  sweep(db, OLD_REQUESTS, expiredBefore, maximum);
