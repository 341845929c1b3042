import { type Db, type Outdated, sweep } from '../postgres/index.ts';

const OLD_MAILS: Outdated = {
  table: 'mail_outbox',
  key: { id: 'uuid' },
  condition: 'created_at < $1',
};

/** Deletes up to `limit` emails of any org that were created before a given time. Returns true if more may exist. */
export const deleteOldMails = (db: Db, before: Date, limit: number): Promise<boolean> =>
  sweep(db, OLD_MAILS, before, limit);
