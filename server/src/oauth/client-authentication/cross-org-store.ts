import { type Db, type Outdated, sweep } from '../../platform/postgres/index.ts';

const OLD_ASSERTIONS: Outdated = {
  table: 'used_assertions',
  key: { client_id: 'text', jti_hash: 'bytea' },
  condition: 'expires_at < $1',
};

/**
 * Deletes up to `maximum` records of used credentials, from any org, that expired before `expiredBefore`. Returns true
 * if more may exist.
 */
export const dropOldUsedAssertions = (db: Db, expiredBefore: Date, maximum?: number): Promise<boolean> =>
  sweep(db, OLD_ASSERTIONS, expiredBefore, maximum);
