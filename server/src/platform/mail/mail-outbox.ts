import { randomUUID } from 'node:crypto';
import { notValid } from '../../kernel/errors/field-errors.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { type MasterKey, type SealedPlace, seal, unsealText } from '../crypto/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { Db, Tx } from '../postgres/index.ts';
import { isMailAddress } from './address.ts';
import { countMailsTo, findMails, insertMail, type MailRow } from './store.ts';
import type { MailContent } from './templates.ts';

export const SEND_MAIL = 'mail.send';

export const MAILS_PER_RECIPIENT_AND_HOUR = 20;
/** Lower limits for emails that others trigger, so that emails the recipient requests still get through. */
const FEWER_OF_KIND: Readonly<Record<string, number>> = {
  signInRequest: MAILS_PER_RECIPIENT_AND_HOUR / 2,
  factorEnrolled: MAILS_PER_RECIPIENT_AND_HOUR / 2,
  factorsRemoved: MAILS_PER_RECIPIENT_AND_HOUR / 2,
  signInCode: MAILS_PER_RECIPIENT_AND_HOUR / 2,
};
const HOUR_MILLISECONDS = 3_600_000;

export interface MailOutbox {
  readonly masterKey: MasterKey;
  /** With `smtp`, a job sends the email. With `kept`, it can be read with `gatehouse mail list`. */
  readonly delivery: 'smtp' | 'kept';
}

export interface NewMail extends MailContent {
  readonly kind: string;
  readonly userId: string | null;
  readonly recipient: string;
}

const placeOf = (orgId: OrgId, mailId: string): SealedPlace => ({
  orgId,
  table: 'mail_outbox',
  column: 'sealed_body',
  row: mailId,
});

/**
 * Writes an email in the transaction of the change that causes it. `limited` means that the recipient's limit is
 * reached and the email is dropped.
 */
export async function queueMail(
  outbox: MailOutbox,
  tx: Tx,
  orgId: OrgId,
  mail: NewMail,
  now: Date,
): Promise<'queued' | 'limited'> {
  if (!isMailAddress(mail.recipient)) throw notValid('email');
  if (/\p{C}/u.test(mail.subject)) throw new Error('a mail subject is one line without control characters');
  const hourAgo = new Date(now.getTime() - HOUR_MILLISECONDS);
  const limit = FEWER_OF_KIND[mail.kind] ?? MAILS_PER_RECIPIENT_AND_HOUR;
  if ((await countMailsTo(tx, orgId, mail, hourAgo, limit)) >= limit) return 'limited';
  const id = randomUUID();
  const body = JSON.stringify({ text: mail.text, html: mail.html });
  await insertMail(tx, orgId, {
    id,
    kind: mail.kind,
    userId: mail.userId,
    recipient: mail.recipient,
    subject: mail.subject,
    sealedBody: seal(outbox.masterKey, placeOf(orgId, id), body),
    createdAt: now,
  });
  if (outbox.delivery === 'smtp') {
    await enqueue(tx, orgId, { kind: SEND_MAIL, payload: { mailId: id }, dedupeKey: id, runAt: now });
  }
  return 'queued';
}

/** Opens the body of an unsent email. */
export function openBody(masterKey: MasterKey, orgId: OrgId, mail: MailRow): Pick<MailContent, 'text' | 'html'> {
  return JSON.parse(unsealText(masterKey, placeOf(orgId, mail.id), mail.sealedBody)) as { text: string; html: string };
}

export interface ListedMail extends Omit<MailRow, 'sealedBody'> {
  /** The text is null once the email has been sent. */
  readonly text: string | null;
}

export const linksIn = (text: string): string[] => [...new Set(text.match(/https:\/\/\S+/g))];

export async function listMails(db: Db, masterKey: MasterKey, orgId: OrgId, limit: number): Promise<ListedMail[]> {
  const mails = await findMails(db, orgId, limit);
  return mails.map((mail) => {
    const { sealedBody, ...shown } = mail;
    return { ...shown, text: sealedBody.length === 0 ? null : openBody(masterKey, orgId, mail).text };
  });
}
