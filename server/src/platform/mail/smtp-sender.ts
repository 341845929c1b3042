import { createTransport } from 'nodemailer';
import type { Clock } from '../../kernel/clock.ts';
import { type MasterKey, SealError } from '../crypto/index.ts';
import { type Job, type JobKind, JobRefusedError } from '../jobs/index.ts';
import type { Db } from '../postgres/index.ts';
import { deleteOldMails } from './cross-org-store.ts';
import { openBody, SEND_MAIL } from './mail-outbox.ts';
import { findMail, type MailRow, markSent } from './store.ts';
import type { MailContent } from './templates.ts';

export interface MailJobsOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly masterKey: MasterKey;
  /** If the URL is null, emails are kept for `gatehouse mail list`. */
  readonly smtpUrl: string | null;
  /** The sender, as an address or as `Name <address>`. */
  readonly from: string;
}

export interface MailJobs {
  readonly kinds: Readonly<Record<string, JobKind>>;
  close(): void;
}

const SENT_WITHIN_MILLISECONDS = 24 * 3_600_000;
const KEPT_MILLISECONDS = 30 * 24 * 3_600_000;
const DAY_MILLISECONDS = 24 * 3_600_000;
const DELETED_AT_ONCE = 5_000;
const MOST_REMEMBERED = 10_000;

const domainOf = (from: string): string => /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost';

/** Tells whether the mail server refused this email permanently. */
function isRefusedForGood(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const code: unknown = Reflect.get(error, 'code');
  const responseCode: unknown = Reflect.get(error, 'responseCode');
  const concernsMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  return concernsMail && typeof responseCode === 'number' && responseCode >= 500;
}

const PATIENCE = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 };

function createSender(options: MailJobsOptions, smtpUrl: string) {
  const transport = createTransport({ url: smtpUrl, pool: true, maxConnections: 2, ...PATIENCE });
  const send = (mail: MailRow, body: Pick<MailContent, 'text' | 'html'>) =>
    transport.sendMail({
      from: options.from,
      // An object is a single address, whatever characters it contains. A string could be parsed as a list.
      to: { name: '', address: mail.recipient },
      subject: mail.subject,
      text: body.text,
      html: body.html,
      // Every attempt uses the same id, so that the receiver can recognize a duplicate.
      messageId: `<${mail.id}@${domainOf(options.from)}>`,
      date: mail.createdAt,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  return { send, close: () => transport.close() };
}

function sendMail(options: MailJobsOptions, sender: ReturnType<typeof createSender>): (job: Job) => Promise<void> {
  /** Emails that this process sent but has not recorded as sent. A later attempt by this process only records them. */
  const unnoted = new Set<string>();
  return async (job) => {
    const mailId = String(job.payload['mailId']);
    const mail = await findMail(options.db, job.orgId, mailId);
    if (mail === null || mail.sentAt !== null) return;
    if (!unnoted.has(mailId)) {
      const now = options.clock.now().getTime();
      if (now - mail.createdAt.getTime() > SENT_WITHIN_MILLISECONDS) throw new JobRefusedError('not sent within a day');
      if (!job.isHeld()) return;
      try {
        await sender.send(mail, openBody(options.masterKey, job.orgId, mail));
      } catch (error) {
        if (!(error instanceof SealError) && !isRefusedForGood(error)) throw error;
        throw new JobRefusedError(error instanceof Error ? error.message : 'refused by the mail server');
      }
      if (unnoted.size < MOST_REMEMBERED) unnoted.add(mailId);
    }
    await markSent(options.db, job.orgId, mailId, options.clock.now());
    unnoted.delete(mailId);
  };
}

export function createMailJobs(options: MailJobsOptions): MailJobs {
  const sender = options.smtpUrl === null ? null : createSender(options, options.smtpUrl);
  const purge: JobKind = {
    everyMilliseconds: DAY_MILLISECONDS,
    async run({ signal }) {
      const before = new Date(options.clock.now().getTime() - KEPT_MILLISECONDS);
      while (!signal.aborted && (await deleteOldMails(options.db, before, DELETED_AT_ONCE)));
    },
  };
  const sending: Record<string, JobKind> = sender === null ? {} : { [SEND_MAIL]: { run: sendMail(options, sender) } };
  return { kinds: { ...sending, 'mail.purge': purge }, close: () => sender?.close() };
}
