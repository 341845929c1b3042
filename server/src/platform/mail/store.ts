import type { OrgId } from '../../kernel/words/ids.ts';
import { columns, type Db, prepared, run, type Tx } from '../postgres/index.ts';

export interface MailRow {
  readonly id: string;
  readonly kind: string;
  readonly userId: string | null;
  readonly recipient: string;
  readonly subject: string;
  /** The body is emptied once the email has been sent, because it may contain a one-time token. */
  readonly sealedBody: Buffer;
  readonly createdAt: Date;
  readonly sentAt: Date | null;
}

const MAILS = columns<MailRow, Omit<MailRow, 'sentAt'>>('mail_outbox', {
  id: 'key',
  kind: 'fixed',
  userId: 'fixed',
  recipient: 'fixed',
  subject: 'fixed',
  sealedBody: 'fixed',
  createdAt: 'fixed',
  sentAt: 'read',
});
const COLUMNS = MAILS.select();
const INSERT = MAILS.insert();

export async function insertMail(tx: Tx, orgId: OrgId, mail: Omit<MailRow, 'sentAt'>): Promise<void> {
  await prepared(tx, 'mail_insert', INSERT.text, INSERT.values(orgId, mail));
}

/** The kind of emails that contain a code of a sign-in. */
const CODE_MAIL = 'signInCode';

/** Emails with codes are counted apart from all others, so that neither kind keeps the other from a recipient. */
export async function countMailsTo(
  tx: Tx,
  orgId: OrgId,
  { kind, recipient }: Pick<MailRow, 'kind' | 'recipient'>,
  since: Date,
  limit: number,
): Promise<number> {
  const [row] = await run<{ mails: number }>(
    tx,
    `select count(*) as mails from (
       select 1 from mail_outbox
       where org_id = $1 and recipient = $2 and created_at > $3 and (kind = '${CODE_MAIL}') = $5
       limit $4::integer) as recent`,
    [orgId, recipient, since, limit, kind === CODE_MAIL],
  );
  return row?.mails ?? 0;
}

export async function findMail(db: Db, orgId: OrgId, id: string): Promise<MailRow | null> {
  const text = `select ${COLUMNS} from mail_outbox where ${MAILS.isKey}`;
  const [row] = await prepared<MailRow>(db, 'mail_find', text, [orgId, id]);
  return row ?? null;
}

export async function markSent(db: Db, orgId: OrgId, id: string, sentAt: Date): Promise<void> {
  await prepared(
    db,
    'mail_mark_sent',
    `update mail_outbox set sent_at = $3, sealed_body = ''::bytea where org_id = $1 and id = $2 and sent_at is null`,
    [orgId, id, sentAt],
  );
}

export function findMails(db: Db, orgId: OrgId, limit: number): Promise<MailRow[]> {
  const text = `select ${COLUMNS} from mail_outbox where org_id = $1
    order by created_at desc, id desc limit $2::integer`;
  return run<MailRow>(db, text, [orgId, limit]);
}
