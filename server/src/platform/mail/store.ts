import type { OrgId } from '../../kernel/words/ids.ts';
import { type Db, prepared, run, type Tx } from '../postgres/index.ts';

export interface MailRow {
  readonly id: string;
  readonly kind: string;
  readonly userId: string | null;
  readonly recipient: string;
  readonly subject: string;
  /** Emptied once the mail was sent, because its one-time token must not be kept. */
  readonly sealedBody: Buffer;
  readonly createdAt: Date;
  readonly sentAt: Date | null;
}

interface StoredMail {
  id: string;
  kind: string;
  user_id: string | null;
  recipient: string;
  subject: string;
  sealed_body: Buffer;
  created_at: Date;
  sent_at: Date | null;
}

const COLUMNS = 'id, kind, user_id, recipient, subject, sealed_body, created_at, sent_at';

const mailOf = (row: StoredMail): MailRow => ({
  id: row.id,
  kind: row.kind,
  userId: row.user_id,
  recipient: row.recipient,
  subject: row.subject,
  sealedBody: row.sealed_body,
  createdAt: row.created_at,
  sentAt: row.sent_at,
});

export async function insertMail(tx: Tx, orgId: OrgId, mail: Omit<MailRow, 'sentAt'>): Promise<void> {
  await prepared(
    tx,
    'mail_insert',
    `insert into mail_outbox (org_id, id, kind, user_id, recipient, subject, sealed_body, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [orgId, mail.id, mail.kind, mail.userId, mail.recipient, mail.subject, mail.sealedBody, mail.createdAt],
  );
}

/** Mails to one address since an instant, counted up to `limit`. */
export async function countMailsTo(
  tx: Tx,
  orgId: OrgId,
  recipient: string,
  since: Date,
  limit: number,
): Promise<number> {
  const [row] = await run<{ mails: number }>(
    tx,
    `select count(*) as mails from (
       select 1 from mail_outbox where org_id = $1 and recipient = $2 and created_at > $3 limit $4::integer
     ) as recent`,
    [orgId, recipient, since, limit],
  );
  return row?.mails ?? 0;
}

export async function findMail(db: Db, orgId: OrgId, id: string): Promise<MailRow | null> {
  const [row] = await prepared<StoredMail>(
    db,
    'mail_find',
    `select ${COLUMNS} from mail_outbox where org_id = $1 and id = $2`,
    [orgId, id],
  );
  return row === undefined ? null : mailOf(row);
}

export async function markSent(db: Db, orgId: OrgId, id: string, sentAt: Date): Promise<void> {
  await prepared(
    db,
    'mail_mark_sent',
    `update mail_outbox set sent_at = $3, sealed_body = ''::bytea where org_id = $1 and id = $2 and sent_at is null`,
    [orgId, id, sentAt],
  );
}

/** The newest mails, newest first. */
export async function findMails(db: Db, orgId: OrgId, limit: number): Promise<MailRow[]> {
  const rows = await run<StoredMail>(
    db,
    `select ${COLUMNS} from mail_outbox where org_id = $1 order by created_at desc, id desc limit $2::integer`,
    [orgId, limit],
  );
  return rows.map(mailOf);
}
