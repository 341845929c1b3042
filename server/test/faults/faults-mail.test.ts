import { type AddressInfo, createServer, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn } from '../support/authn.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS } from '../support/users.ts';

// F15 (docs/faults.md): the mail server accepts connections and says nothing, then refuses temporarily, and then works.

const received: string[] = [];
let refusals = 0;
let isSilent = true;
const silent = new Set<Socket>();

/** A mail server that refuses the first recipient temporarily. */
const mailServer = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onRcptTo(address, _session, done) {
    const isFirst = refusals === 0;
    if (isFirst) refusals += 1;
    else received.push(address.address);
    done(isFirst ? Object.assign(new Error('greylisted'), { responseCode: 451 }) : null);
  },
  onData(stream, _session, done) {
    stream.resume();
    stream.on('end', () => done());
  },
});
/** A proxy for the mail server. It either hangs or passes the connection on. */
const port = createServer((socket) => {
  socket.on('error', () => undefined);
  if (isSilent) silent.add(socket);
  else mailServer.server.emit('connection', socket);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => port.listen(0, '127.0.0.1', () => resolve()));
});
afterAll(async () => {
  await new Promise<void>((resolve) => mailServer.close(() => resolve()));
  port.close();
});
const { service } = useService(() => ({ smtpUrl: `smtp://127.0.0.1:${(port.address() as AddressInfo).port}` }));
afterAll(() => {
  for (const socket of silent) socket.destroy();
});

test('a mail server that hangs, then refuses, then works gets each mail once; nobody waits for it', async () => {
  const { org } = service;
  const user = await org.createUser({ credentials: CREDENTIALS });
  const { login } = user.profile;
  const forgotten = await signInForgot(login);
  expect(forgotten).toMatchObject({ status: 200, body: { status: 'RECOVERY_CHALLENGE' } });
  // The job has started and holds a connection on which the mail server says nothing.
  await expect.poll(() => silent.size).toBeGreaterThan(0);
  expect((await signIn(org.anonymous, login)).body).toMatchObject({ status: 'SUCCESS' });
  expect(received).toEqual([]);
  isSilent = false;
  for (const socket of silent) socket.destroy();
  // The pauses between attempts follow the test's clock.
  const hasArrived = async (): Promise<number> => {
    service.clock.advance(60_000);
    return received.length;
  };
  await expect.poll(hasArrived, { interval: 250 }).toBe(1);
  expect([received, refusals]).toEqual([[user.profile.email], 1]);
  const sent = async () => {
    const { rows } = await service.application.pool.query<{ sent: boolean; jobs: number }>(
      `select m.sent_at is not null as sent, (select count(*) from jobs where kind = 'mail.send')::int as jobs
       from mail_outbox m where user_id = $1`,
      [user.id],
    );
    return rows;
  };
  await expect.poll(sent).toEqual([{ sent: true, jobs: 0 }]);
  expect(received).toHaveLength(1);
});

const signInForgot = (username: string) =>
  service.org.anonymous.post('/api/v1/authn/recovery/password', { body: { username, factorType: 'EMAIL' } });
