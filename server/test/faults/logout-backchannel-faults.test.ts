import { beforeEach, describe, expect, test } from 'vitest';
import { OutboundError } from '../../src/platform/outbound/index.ts';
import { createApp, webApp } from '../support/apps.ts';
import { logoutReceiver, newListener, noteClient, noticesSettled } from '../support/logout-receiver.ts';
import { ME, openSession } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';

const receiver = logoutReceiver();
const { service, org } = useService({ outbound: receiver.outbound });
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = () => 200;
});

async function endedSession(of = { service, org }, uri?: string): Promise<{ externalSessionId: string; uri: string }> {
  const session = await openSession(of.service, of.org);
  const app =
    uri === undefined
      ? await newListener(of.org)
      : { id: (await createApp(of.org, webApp({ backchannel_logout_uri: uri }))).id, uri };
  await noteClient(of.service, of.org, session, app.id);
  expect((await session.client.del(ME)).status).toBe(204);
  return { externalSessionId: session.externalSessionId, uri: app.uri };
}

const slo = async (externalSessionId: string, of = org) =>
  (await of.systemLog('eventType eq "user.authentication.slo"')).filter(
    ({ authenticationContext }) => authenticationContext.externalSessionId === externalSessionId,
  );

async function passTime(): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await noticesSettled(service);
    service.clock.advance(30 * 60_000);
  }
  await noticesSettled(service);
}

describe('an app that cannot be told now', () => {
  test.each<[string, number | OutboundError]>([
    ['answers 503', 503],
    ['answers 429', 429],
    ['answers not in time', new OutboundError('timeout')],
    ['is not reached', new OutboundError('unreachable')],
  ])('%s: is told later, once, by a token of its own', async (_, answer) => {
    receiver.answer = (_url, attempt) => (attempt < 3 ? answer : 204);
    const { externalSessionId } = await endedSession();
    await passTime();
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ token }) => token)).size).toBe(3);
    expect(await slo(externalSessionId)).toMatchObject([{ outcome: { result: 'SUCCESS' } }]);
  });

  test('at last is given up, and the log says so once', async () => {
    receiver.answer = () => new OutboundError('unreachable');
    const { externalSessionId } = await endedSession();
    await passTime();
    expect(receiver.received).toHaveLength(8);
    expect(await slo(externalSessionId)).toMatchObject([
      { outcome: { result: 'FAILURE', reason: 'The app was not reached: unreachable' } },
    ]);
  });
});

test.each([400, 404, 302])('an app that answers %i is not asked again', async (status) => {
  receiver.answer = () => status;
  const { externalSessionId } = await endedSession();
  await passTime();
  expect(receiver.received).toHaveLength(1);
  expect(await slo(externalSessionId)).toMatchObject([
    { outcome: { result: 'FAILURE', reason: `The app answered ${status}` } },
  ]);
});

test('one that does not answer holds up no other', async () => {
  receiver.answer = (url) => (url === slow.uri ? new OutboundError('timeout') : 200);
  const slow = await newListener(org);
  const session = await openSession(service, org);
  const quick = await newListener(org);
  for (const { id } of [slow, quick]) await noteClient(service, org, session, id);
  await session.client.del(ME);
  await noticesSettled(service);
  expect(receiver.received.map(({ url }) => url)).toContain(quick.uri);
});

test('one that let us wait is left alone for a while: its notices do not take the place of others', async () => {
  receiver.answer = () => new OutboundError('timeout');
  const slow = await newListener(org);
  const asked = () => receiver.received.filter(({ url }) => url === slow.uri).length;
  const end = async () => {
    const session = await openSession(service, org);
    await noteClient(service, org, session, slow.id);
    await session.client.del(ME);
    await noticesSettled(service);
    return session.externalSessionId;
  };
  await end();
  const later = await end();
  expect(asked()).toBe(1);
  receiver.answer = () => 200;
  await passTime();
  expect(asked()).toBe(3);
  expect(await slo(later)).toMatchObject([{ outcome: { result: 'SUCCESS' } }]);
});

describe('row 80: an internal address is refused', () => {
  const { service: real } = useService({ isShared: false });

  test.each([
    'https://127.0.0.1/logout',
    'https://localhost/logout',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/logout',
    'https://[::1]/logout',
    'https://[::ffff:127.0.0.1]/logout',
    'https://2130706433/logout',
    'https://app.example.com:8443/logout',
  ])('%s', async (uri) => {
    const { externalSessionId } = await endedSession({ service: real, org: real.org }, uri);
    await noticesSettled(real);
    expect(await slo(externalSessionId, real.org)).toMatchObject([
      { outcome: { result: 'FAILURE', reason: expect.stringMatching(/^The app was not reached: (address|port)$/) } },
    ]);
  });
});
