import { type Db, run } from '../postgres/index.ts';

/** Deletes up to `limit` emails (of any org) that were created before a given time. Returns their number. */
export async function deleteOldMails(db: Db, before: Date, limit: number): Promise<number> {
  const gone = await run(
    db,
    `delete from mail_outbox where ctid = any (array(
       select ctid from mail_outbox where created_at < $1 limit $2::integer
     )) returning id`,
    [before, limit],
  );
  return gone.length;
}
