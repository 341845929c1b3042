import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '../../src/kernel/errors/errors.ts';
import { toOrgId } from '../../src/kernel/words/ids.ts';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { createJobRunner, type JobReport } from '../../src/platform/jobs/index.ts';
import { createMailJobs, listMails, type NewMail, queueMail, renderMail } from '../../src/platform/mail/index.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { mailServer } from '../support/mail-server.ts';
import { testClock } from '../support/system-log.ts';

const orgId = toOrgId('00oacme0000000000abc');
const masterKey = masterKeyOf(randomBytes(32));
const clock = testClock();
const url = 'https://acme.localhost:8443/welcome/tokenthatnobodymaysee';
let database: TestDatabase;

const smtp = mailServer();
let smtpUrl = '';

beforeAll(async () => {
  database = await openTestDatabase();
  smtpUrl = `smtp://127.0.0.1:${await smtp.listen()}`;
  await database.pool.query(
    `insert into orgs (id, subdomain, company_name, created_at, last_updated_at)
     values ($1, 'acme', 'Acme', now(), now())`,
    [orgId],
  );
});
afterAll(async () => {
  await smtp.close();
  await database.close();
});
beforeEach(async () => {
  clock.set('2026-11-20T12:00:00.000Z');
  smtp.refuse(null);
  smtp.received.length = 0;
  await database.pool.query('delete from jobs');
  await database.pool.query('delete from mail_outbox');
});

const mail = (recipient = 'ada@example.com'): NewMail => ({
  kind: 'activation',
  userId: '00uada00000000000abc',
  recipient,
  ...renderMail('activation', { displayName: 'Ada', orgName: 'Acme', url, validMinutes: 24 * 60 }),
});

const queue = (delivery: 'smtp' | 'kept', content = mail()) =>
  queueMail({ masterKey, delivery }, database.db, orgId, content, clock.now());

async function deliver(options: { key?: typeof masterKey; url?: string | null } = {}): Promise<JobReport[]> {
  const reports: JobReport[] = [];
  const mailJobs = createMailJobs({
    db: database.db,
    clock,
    masterKey: options.key ?? masterKey,
    smtpUrl: options.url === undefined ? smtpUrl : options.url,
    from: 'Gatehouse <no-reply@localhost>',
  });
  const runner = createJobRunner({
    db: database.db,
    clock,
    kinds: mailJobs.kinds,
    onFinished: (report) => reports.push(report),
  });
  await runner.runDue();
  mailJobs.close();
  return reports;
}

const minutes = (count: number) => clock.set(new Date(clock.now().getTime() + count * 60_000));

describe('the outbox', () => {
  test('keeps a mail sealed, and the operator can read it', async () => {
    expect(await queue('kept')).toBe('queued');
    const { rows } = await database.pool.query<{ sealed_body: Buffer }>('select sealed_body from mail_outbox');
    expect(rows[0]?.sealed_body.toString('latin1')).not.toContain('tokenthatnobodymaysee');
    const [listed] = await listMails(database.db, masterKey, orgId, 10);
    expect(listed).toMatchObject({ kind: 'activation', recipient: 'ada@example.com', sentAt: null });
    expect(listed?.text).toContain(url);
  });

  test('shows nothing to another key, and a body moved to another row does not open', async () => {
    await queue('kept');
    await expect(listMails(database.db, masterKeyOf(randomBytes(32)), orgId, 10)).rejects.toThrow('Sealed with key');
    await database.pool.query('update mail_outbox set id = gen_random_uuid()');
    await expect(listMails(database.db, masterKey, orgId, 10)).rejects.toThrow('belongs to another row');
  });

  test('asks for no job when there is no mail server', async () => {
    await queue('kept');
    expect((await database.pool.query('select 1 from jobs')).rowCount).toBe(0);
  });

  test.each(['a@b.c\r\nBcc: everyone@example.com', 'a@b.c\nX-Evil: 1', 'a@b.c, d@e.f', 'not an address'])(
    'refuses the recipient %j and writes nothing',
    async (recipient) => {
      await expect(queue('smtp', mail(recipient))).rejects.toBeInstanceOf(ApiError);
      expect((await database.pool.query('select 1 from mail_outbox')).rowCount).toBe(0);
    },
  );

  test('refuses a subject of two lines', async () => {
    await expect(queue('smtp', { ...mail(), subject: 'Hello\r\nBcc: everyone@example.com' })).rejects.toThrow(
      'one line',
    );
  });

  test('leaves out what goes beyond twenty mails an hour to one address', async () => {
    const results = [];
    for (let count = 0; count < 25; count += 1) results.push(await queue('kept'));
    expect(results.filter((result) => result === 'queued')).toHaveLength(20);
    expect(results.slice(20)).toEqual(Array.from({ length: 5 }, () => 'limited'));
    expect(await queue('kept', mail('grace@example.com'))).toBe('queued');
    minutes(61);
    expect(await queue('kept')).toBe('queued');
  });
});

describe('sending', () => {
  test('delivers once, with safe headers, and forgets the body', async () => {
    await queue('smtp');
    expect(await deliver()).toMatchObject([{ kind: 'mail.send', result: 'done' }]);
    expect(await deliver()).toEqual([]);
    expect(smtp.received).toHaveLength(1);
    const [text = ''] = smtp.received;
    expect(text).toMatch(/^From: Gatehouse <no-reply@localhost>\r?$/m);
    expect(text).toMatch(/^To: ada@example\.com\r?$/m);
    expect(text).toMatch(/^Message-ID: <[0-9a-f-]{36}@localhost>\r?$/im);
    expect(text).toMatch(/^Auto-Submitted: auto-generated\r?$/im);
    const [listed] = await listMails(database.db, masterKey, orgId, 10);
    expect(listed).toMatchObject({ sentAt: clock.now(), text: null });
  });

  test('tries again when the server is away or busy, under the same message id', async () => {
    await queue('smtp');
    expect(await deliver({ url: 'smtp://127.0.0.1:1' })).toMatchObject([{ result: 'retried' }]);
    minutes(1);
    smtp.refuse(451);
    expect(await deliver()).toMatchObject([{ result: 'retried' }]);
    smtp.refuse(null);
    minutes(1);
    expect(await deliver()).toMatchObject([{ result: 'done' }]);
    expect(smtp.received).toHaveLength(1);
  });

  test('gives up what the server refuses for good', async () => {
    smtp.refuse(550);
    await queue('smtp');
    expect(await deliver()).toMatchObject([{ result: 'dead' }]);
    expect(smtp.received).toEqual([]);
  });

  test('gives up after a day: the link in it is of no use any more', async () => {
    await queue('smtp');
    minutes(24 * 60 + 1);
    expect(await deliver()).toMatchObject([{ result: 'dead' }]);
    expect(smtp.received).toEqual([]);
  });

  test('gives up what another master key has sealed', async () => {
    await queue('smtp');
    expect(await deliver({ key: masterKeyOf(randomBytes(32)) })).toMatchObject([{ result: 'dead' }]);
    expect(smtp.received).toEqual([]);
  });

  test('sends what was sent no second time when the job comes back', async () => {
    await queue('smtp');
    await deliver();
    const { rows } = await database.pool.query<{ id: string }>('select id from mail_outbox');
    await database.pool.query(`insert into jobs (org_id, kind, payload, run_at) values ($1, 'mail.send', $2, $3)`, [
      orgId,
      { mailId: rows[0]?.id },
      clock.now(),
    ]);
    expect(await deliver()).toMatchObject([{ result: 'done' }]);
    expect(smtp.received).toHaveLength(1);
  });
});

test('old mails are removed', async () => {
  await queue('kept');
  minutes(31 * 24 * 60);
  await queue('kept');
  await database.pool.query(
    `insert into jobs (org_id, kind, dedupe_key, run_at) values ('installation', 'mail.purge', 'recurring', $1)`,
    [clock.now()],
  );
  expect(await deliver({ url: null })).toMatchObject([{ kind: 'mail.purge', result: 'done' }]);
  expect(await listMails(database.db, masterKey, orgId, 10)).toHaveLength(1);
});
