import { type Db, type Outdated, sweep } from '../../platform/postgres/index.ts';

const OLD_CODES: Outdated = {
  table: 'authorization_codes',
  key: { code_hash: 'bytea' },
  condition: 'expires_at < $1',
};

/** Deletes up to `maximum` codes, from any org, that expired before `expiredBefore`. Returns true if more may exist. */
export const dropOldAuthorizationCodes = (db: Db, expiredBefore: Date, maximum?: number): Promise<boolean> =>
  sweep(db, OLD_CODES, expiredBefore, maximum);
