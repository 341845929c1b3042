import { beforeEach, describe, expect, test } from 'vitest';
import { createOutbound } from '../../src/platform/outbound/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import {
  createHook,
  createVerifiedHook,
  HOOKS,
  newHook,
  SECRET,
  startHookReceiver,
  takesAll,
} from '../support/hook-receiver.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const receiver = beforeTests(startHookReceiver);
const { service } = useService(() => ({ outbound: receiver.outbound() }));
let org: TestOrg;

beforeEach(async () => {
  receiver.reset();
  org = await service.newOrg();
});

const verify = (id: string, of = org) => of.admin.post(`${HOOKS}/${id}/lifecycle/verify`);
const attempts = (id: string) => org.systemLog(`eventType eq "event_hook.verified" and target.id eq "${id}"`);
const statusOf = async (id: string) => (await org.admin.get(`${HOOKS}/${id}`)).body.verificationStatus;
const fails = (cause: string) => ({
  status: 400,
  body: { errorCode: 'E0000001', errorCauses: [{ errorSummary: `channel.config.uri: ${cause}` }] },
});

describe('a verification', () => {
  test('asks the address once, with the headers of the hook, and believes the value alone', async () => {
    const headers = [{ key: 'x-one', value: 'a value' }];
    const { channel } = newHook(receiver.uri('/in?a=b')) as { channel: { config: object } };
    const hook = await createHook(
      org,
      newHook(receiver.uri(), { channel: { ...channel, config: { ...channel.config, headers } } }),
    );
    expect(await verify(hook.id)).toMatchObject({
      status: 200,
      body: { verificationStatus: 'VERIFIED', status: 'ACTIVE', _links: { verify: {}, deactivate: {} } },
    });
    expect(receiver.requests).toMatchObject([
      {
        method: 'GET',
        url: '/in?a=b',
        text: '',
        headers: {
          authorization: SECRET,
          'x-one': 'a value',
          'x-svc-verification-challenge': expect.stringMatching(/^[\w-]{43}$/),
          'user-agent': expect.stringContaining('Gatehouse'),
        },
      },
    ]);
    expect(await attempts(hook.id)).toMatchObject([
      {
        outcome: { result: 'SUCCESS', reason: null },
        target: [
          { changeDetails: { from: { verificationStatus: 'UNVERIFIED' }, to: { verificationStatus: 'VERIFIED' } } },
        ],
      },
    ]);
  });

  test.each<[string, number, string | ((challenge: string) => string), string]>([
    ['a wrong value', 200, '{"verification":"guessed"}', 'The host did not answer with the value of the challenge.'],
    [
      'the bare value',
      200,
      (value) => JSON.stringify(value),
      'The host did not answer with the value of the challenge.',
    ],
    ['no JSON', 200, (value) => `verification=${value}`, 'The host did not answer with the value of the challenge.'],
    ['an empty answer', 204, '', 'The host did not answer with the value of the challenge.'],
    ['401', 401, (verification) => JSON.stringify({ verification }), 'The host answered 401.'],
    ['500', 500, (verification) => JSON.stringify({ verification }), 'The host answered 500.'],
  ])('fails by %s, and the log says why', async (_, status, text, cause) => {
    const hook = await createHook(org, newHook(receiver.uri()));
    receiver.answerBy(({ headers }, response) => {
      const value = String(headers['x-svc-verification-challenge']);
      response.writeHead(status).end(typeof text === 'string' ? text : text(value));
    });
    expect(await verify(hook.id)).toMatchObject(fails(cause));
    expect(await statusOf(hook.id)).toBe('UNVERIFIED');
    expect(await attempts(hook.id)).toMatchObject([{ outcome: { result: 'FAILURE', reason: cause } }]);
    expect(receiver.requests).toHaveLength(status < 300 ? 1 : 2);
  });

  test('tries once more after an answer that was none', async () => {
    const hook = await createHook(org, newHook(receiver.uri()));
    receiver.answerBy((request, response) => {
      if (receiver.requests.length === 1) response.writeHead(503).end();
      else takesAll(request, response);
    });
    expect(await verify(hook.id)).toMatchObject({ status: 200 });
    const values = receiver.requests.map(({ headers }) => headers['x-svc-verification-challenge']);
    expect(values).toHaveLength(2);
  });

  test('ends when the host hangs, and holds up nobody', async () => {
    const hook = await createHook(org, newHook(receiver.uri()));
    receiver.answerBy(() => undefined);
    let isOver = false;
    // On a busy machine, the verification may happen to end first, so the test tries up to three times.
    const isHeldUp = async (): Promise<boolean> => {
      isOver = false;
      const waiting = verify(hook.id).finally(() => {
        isOver = true;
      });
      expect(await org.admin.post(`${HOOKS}/${hook.id}/lifecycle/deactivate`)).toMatchObject({ status: 200 });
      expect(await org.admin.post(`${HOOKS}/${hook.id}/lifecycle/activate`)).toMatchObject({ status: 200 });
      const wasOver = isOver;
      expect(await waiting).toMatchObject(fails('The host did not answer within 3 seconds.'));
      return wasOver;
    };
    expect((await isHeldUp()) && (await isHeldUp()) && (await isHeldUp())).toBe(false);
  });

  test('reads no more than it needs of an answer without end', async () => {
    const hook = await createHook(org, newHook(receiver.uri()));
    receiver.answerBy((_, response) => {
      const more = (): void => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', more);
      };
      more();
    });
    expect(await verify(hook.id)).toMatchObject(fails('The host did not answer with the value of the challenge.'));
  });

  test('follows no redirect', async () => {
    const hook = await createHook(org, newHook(receiver.uri()));
    receiver.answerBy((_, response) => response.writeHead(307, { location: receiver.uri('/elsewhere') }).end());
    expect(await verify(hook.id)).toMatchObject(fails('The host answered 307.'));
    expect(receiver.requests.map(({ url }) => url)).toEqual(['/in', '/in']);
  });

  test('of a channel that is changed meanwhile does not hold for the new one', async () => {
    const hook = await createHook(org, newHook(receiver.uri()));
    receiver.answerBy((request, response) => {
      const body = newHook(receiver.uri('/another'));
      void org.admin.put(`${HOOKS}/${hook.id}`, { body }).then(() => takesAll(request, response));
    });
    expect(await verify(hook.id)).toMatchObject(fails('The event hook has been changed in the meantime.'));
    expect(await statusOf(hook.id)).toBe('UNVERIFIED');
  });

  test('of a hook that is deleted meanwhile finds nothing', async () => {
    const hook = await createHook(org, newHook(receiver.uri()));
    receiver.answerBy((request, response) => {
      void org.admin
        .post(`${HOOKS}/${hook.id}/lifecycle/deactivate`)
        .then(() => org.admin.del(`${HOOKS}/${hook.id}`))
        .then(() => takesAll(request, response));
    });
    expect(await verify(hook.id)).toMatchObject({ status: 404 });
  });

  test('by many at once leaves one verified hook', async () => {
    const hook = await createHook(org, newHook(receiver.uri()));
    const all = await Promise.all(Array.from({ length: 5 }, () => verify(hook.id)));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await statusOf(hook.id)).toBe('VERIFIED');
  });
});

describe('what was verified', () => {
  test('stays so through a change of name, types and the same channel, and a verification that fails', async () => {
    const hook = await createVerifiedHook(org, newHook(receiver.uri()));
    const body = newHook(receiver.uri(), {
      name: 'another',
      events: { type: 'EVENT_TYPE', items: ['user.session.start'] },
    });
    expect((await org.admin.put(`${HOOKS}/${hook.id}`, { body })).body.verificationStatus).toBe('VERIFIED');
    receiver.answerBy((_, response) => response.writeHead(500).end());
    expect(await verify(hook.id)).toMatchObject({ status: 400 });
    expect(await statusOf(hook.id)).toBe('VERIFIED');
  });

  const authScheme = { type: 'HEADER', key: 'Authorization', value: SECRET };
  test.each<[string, () => object]>([
    ['address', () => ({ uri: receiver.uri('/other'), authScheme })],
    ['headers', () => ({ uri: receiver.uri(), authScheme, headers: [{ key: 'x-one', value: 'a' }] })],
    ['secret', () => ({ uri: receiver.uri(), authScheme: { ...authScheme, value: 'another' } })],
    ['lack of a secret', () => ({ uri: receiver.uri() })],
  ])('is no longer after a change of its %s', async (_, config) => {
    const hook = await createVerifiedHook(org, newHook(receiver.uri()));
    const channel = { type: 'HTTP', version: '1.0.0', config: config() };
    const { body } = await org.admin.put(`${HOOKS}/${hook.id}`, { body: newHook('', { channel }) });
    expect(body.verificationStatus).toBe('UNVERIFIED');
  });
});

describe('addresses inside (attack 101)', () => {
  const lookup = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  const { service: guarded } = useService(() => ({ outbound: createOutbound({ networks: [], lookup }) }));

  test.each([
    'https://127.0.0.1/',
    'https://localhost/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://10.0.0.1/',
    'https://rebound.example/',
  ])('%s is never connected to', async (uri) => {
    const hook = await createHook(guarded.org, newHook(uri));
    const refused = await verify(hook.id, guarded.org);
    expect(refused).toMatchObject(fails('The host of the address may not be reached.'));
  });
});
