import { describe, expect, test } from 'vitest';
import { QUESTION_KEYS } from '../../src/management/factors/kinds/question-rules.ts';
import {
  beginStep,
  CODE_FACTOR,
  deviceOf,
  enroll,
  factorsPath,
  QUESTION_FACTOR,
  userWithDevice,
} from '../support/factors.ts';
import { causesIn } from '../support/schemas.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const OWN_CODES = { ...CODE_FACTOR, provider: 'SVC' };
const answer = (text: string) => ({ body: { answer: text } });
const given = (passCode: string) => ({ body: { passCode } });

describe('a security question', () => {
  test('is active at once, shown without its answer, verified and removed; the log tells it', async () => {
    const { id } = await org.createUser();
    const enrolled = await enroll(org.admin, id, QUESTION_FACTOR);
    const path = `${factorsPath(id)}/${enrolled.body.id}`;
    const self = `${org.baseUrl}${path}`;
    expect(enrolled).toMatchObject({ status: 200 });
    expect(enrolled.body).toEqual({
      id: expect.stringMatching(/^ufs/),
      factorType: 'question',
      provider: 'SVC',
      vendorName: 'SVC',
      status: 'ACTIVE',
      created: expect.any(String),
      lastUpdated: enrolled.body.created,
      profile: { question: 'disliked_food', questionText: 'What is the food you least liked as a child?' },
      _links: {
        verify: { href: `${self}/verify`, hints: { allow: ['POST'] } },
        questions: { href: `${org.baseUrl}${factorsPath(id)}/questions`, hints: { allow: ['GET'] } },
        self: { href: self, hints: { allow: ['GET', 'DELETE'] } },
        user: { href: `${org.baseUrl}${userPath(id)}`, hints: { allow: ['GET'] } },
      },
    });
    const target = [
      { id, type: 'User' },
      { id: enrolled.body.id, type: 'UserFactor', alternateId: 'question' },
    ];
    expect(await eventsOf(org, enrolled)).toMatchObject([{ eventType: 'user.mfa.factor.activate', target }]);
    expect((await org.admin.get(path)).body).toEqual(enrolled.body);
    expect((await org.admin.get(factorsPath(id))).body).toEqual([enrolled.body]);

    const right = await org.admin.post(`${path}/verify`, answer('  boiled CABBAGE '));
    expect(right).toMatchObject({ status: 200, body: { factorResult: 'SUCCESS' } });
    expect(await eventsOf(org, right)).toMatchObject([{ eventType: 'user.authentication.auth_via_mfa', target }]);
    const wrong = await org.admin.post(`${path}/verify`, answer('fried cabbage'));
    expect(wrong).toMatchObject({ status: 403, body: { errorCode: 'E0000068' } });
    const outcome = { result: 'FAILURE', reason: 'INVALID_CREDENTIALS' };
    const failed = await eventsOf(org, wrong);
    expect(failed).toMatchObject([{ eventType: 'user.authentication.auth_via_mfa', outcome, target }]);
    expect(JSON.stringify(failed)).not.toMatch(/cabbage/i);

    const gone = await org.admin.del(path);
    expect(gone.status).toBe(204);
    expect(await eventsOf(org, gone)).toMatchObject([{ eventType: 'user.mfa.factor.deactivate', target }]);
    for (const refused of [
      await org.admin.get(path),
      await org.admin.del(path),
      await org.admin.post(`${path}/verify`, answer('boiled cabbage')),
    ])
      expect(refused).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
  });

  test('the questions are the same for everybody, and need a credential', async () => {
    expect((await org.anonymous.get(`${factorsPath('me')}/questions`)).status).toBe(401);
    const { body, status } = await (await org.withRoles()).get(`${factorsPath('me')}/questions`);
    expect(status).toBe(200);
    expect(body.map(({ question }: { question: string }) => question)).toEqual(QUESTION_KEYS);
  });

  test.each([
    ['profile.question', { answer: 'boiled cabbage' }],
    ['profile.question', { question: 'mother_maiden_name', answer: 'boiled cabbage' }],
    ['profile.answer', { question: 'disliked_food' }],
    ['profile.answer', { question: 'disliked_food', answer: 'abc' }],
    ['profile.answer', { question: 'disliked_food', answer: '   a   ' }],
    ['profile.answer', { question: 'disliked_food', answer: 'a'.repeat(101) }],
    ['profile.question', undefined],
  ])('names %s when it is refused: %j', async (field, profile) => {
    const { id } = await org.createUser();
    const refused = await enroll(org.admin, id, { ...QUESTION_FACTOR, profile });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(causesIn(refused).join()).toContain(field);
    expect((await org.admin.get(factorsPath(id))).body).toEqual([]);
  });
});

describe('one-time codes', () => {
  test.each([CODE_FACTOR, OWN_CODES])('$provider: pending with a secret shown once, then active', async (kind) => {
    const { id, profile } = await org.createUser();
    beginStep(service);
    const enrolled = await enroll(org.admin, id, kind);
    const { _embedded: embedded, ...shown } = enrolled.body;
    expect(shown).toMatchObject({
      id: expect.stringMatching(/^ost/),
      ...kind,
      status: 'PENDING_ACTIVATION',
      profile: { credentialId: profile.login },
      _links: { activate: { hints: { allow: ['POST'] } } },
    });
    expect(embedded.activation).toEqual({
      timeStep: 30,
      sharedSecret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      encoding: 'base32',
      keyLength: 32,
      _links: { qrcode: { href: expect.stringMatching(/^data:image\/gif;base64,R0lGOD/), type: 'image/gif' } },
    });
    const device = deviceOf(service, id, enrolled.body);
    expect((await org.admin.get(device.path)).body).toEqual(shown);
    expect((await org.admin.get(factorsPath(id))).body).toEqual([shown]);
    expect(await eventsOf(org, enrolled)).toMatchObject([{ eventType: 'user.mfa.factor.update' }]);

    const early = await org.admin.post(`${device.path}/verify`, given(device.code()));
    expect(early).toMatchObject({ status: 410, body: { errorCode: 'E0000154' } });
    const wrong = await org.admin.post(`${device.path}/lifecycle/activate`, given(device.code(40)));
    expect(wrong).toMatchObject({ status: 403, body: { errorCode: 'E0000068' } });
    expect(await eventsOf(org, wrong)).toMatchObject([
      { eventType: 'user.mfa.factor.activate', outcome: { result: 'FAILURE', reason: 'INVALID_CREDENTIALS' } },
    ]);
    const sent = device.code();
    const activated = await org.admin.post(`${device.path}/lifecycle/activate`, given(sent));
    expect(activated).toMatchObject({ status: 200, body: { id: device.id, status: 'ACTIVE' } });
    expect(activated.text).not.toContain(embedded.activation.sharedSecret);
    expect(activated.body._links.activate).toBeUndefined();
    const again = await org.admin.post(`${device.path}/lifecycle/activate`, given(device.code(1)));
    expect(again).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    const log = JSON.stringify(await org.systemLog(`target.id eq "${id}"`));
    expect(log).not.toContain(embedded.activation.sharedSecret);
    expect(log).not.toContain(sent);
  });

  test('each is accepted once, also by two requests at once; earlier ones are refused too', async () => {
    const device = await userWithDevice(service, org);
    const replayed = await org.admin.post(`${device.path}/verify`, given(device.code()));
    expect(replayed).toMatchObject({ status: 403, body: { errorCode: 'E0000082' } });
    expect(await eventsOf(org, replayed)).toMatchObject([
      { eventType: 'user.authentication.auth_via_mfa', outcome: { result: 'FAILURE', reason: 'PASSCODE_REPLAYED' } },
    ]);
    const next = given(device.code(1));
    const answers = await Promise.all([1, 2, 3].map(() => org.admin.post(`${device.path}/verify`, next)));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 403, 403]);
    service.clock.advance(30_000);
    expect(await org.admin.post(`${device.path}/verify`, given(device.code(0)))).toMatchObject({ status: 403 });
    expect(await org.admin.post(`${device.path}/verify`, given(device.code(1)))).toMatchObject({ status: 200 });
  });

  test('a clock that is a step wrong is followed, and one that is ten minutes wrong is refused', async () => {
    const { id } = await org.createUser();
    const device = deviceOf(service, id, (await enroll(org.admin, id)).body);
    beginStep(service);
    const activate = (steps: number) => org.admin.post(`${device.path}/lifecycle/activate`, given(device.code(steps)));
    for (const steps of [-20, -2, 2, 20]) expect((await activate(steps)).status).toBe(403);
    expect((await activate(1)).status).toBe(200);
    const verify = (steps: number) => org.admin.post(`${device.path}/verify`, given(device.code(steps)));
    service.clock.advance(60_000);
    for (const steps of [-20, -2, 3, 20]) expect((await verify(steps)).status).toBe(403);
    expect((await verify(0)).status).toBe(200);
    service.clock.advance(15 * 60_000);
    expect((await verify(0)).status).toBe(200);
  });

  test('five wrong ones in a row make it wait, and a right one is refused meanwhile', async () => {
    const device = await userWithDevice(service, org);
    const other = await userWithDevice(service, org);
    const send = (code: string) => org.admin.post(`${device.path}/verify`, given(code));
    const wrong = () => send(device.code(50));
    for (let time = 0; time < 4; time += 1) expect((await wrong()).status).toBe(403);
    expect((await send(device.code(1))).status).toBe(200);
    for (let time = 0; time < 5; time += 1) expect((await wrong()).status).toBe(403);
    service.clock.advance(30_000);
    const waiting = await send(device.code(1));
    expect(waiting).toMatchObject({ status: 429, body: { errorCode: 'E0000047' } });
    expect(await eventsOf(org, waiting)).toEqual([]);
    const reset = Number(waiting.headers['x-rate-limit-reset']) * 1_000 - service.clock.now().getTime();
    expect(reset).toBeGreaterThan(4 * 60_000);
    expect(reset).toBeLessThanOrEqual(5 * 60_000 + 1_000);
    expect((await org.admin.post(`${other.path}/verify`, given(other.code(1)))).status).toBe(200);
    service.clock.advance(5 * 60_000);
    expect((await wrong()).status).toBe(403);
    service.clock.advance(9 * 60_000);
    expect((await send(device.code(0))).status).toBe(429);
    service.clock.advance(60_000);
    expect((await send(device.code(0))).status).toBe(200);
    expect((await wrong()).status).toBe(403);
    expect((await send(device.code(1))).status).toBe(200);
  });

  test('guesses at once do not pass the limit', async () => {
    const device = await userWithDevice(service, org);
    const codes = Array.from({ length: 20 }, (_, index) => given(device.code(100 + index)));
    const answers = await Promise.all(codes.map((code) => org.admin.post(`${device.path}/verify`, code)));
    const judged = answers.filter(({ status }) => status === 403);
    expect(judged).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
  });
});

describe('the kinds of factors', () => {
  test('the catalog shows what the user has, and what they can enroll', async () => {
    const { userId } = await userWithDevice(service, org);
    const { body } = await org.admin.get(`${factorsPath(userId)}/catalog`);
    expect(body).toMatchObject([
      { factorType: 'question', provider: 'SVC', status: 'NOT_SETUP', enrollment: 'OPTIONAL' },
      { factorType: 'token:software:totp', provider: 'SVC', status: 'NOT_SETUP' },
      { factorType: 'token:software:totp', provider: 'GOOGLE', status: 'ACTIVE' },
    ]);
    const enrollable = body.map(({ _links }: { _links: object }) => 'enroll' in _links);
    expect(enrollable).toEqual([true, true, false]);
  });

  test('one factor of each: an active one stays, a pending one is replaced, of five at once one is there', async () => {
    const { userId } = await userWithDevice(service, org);
    const taken = await enroll(org.admin, userId);
    expect(taken).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    const made = await Promise.all([1, 2, 3, 4, 5].map(() => enroll(org.admin, userId, OWN_CODES)));
    expect(made.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const { body } = await org.admin.get(factorsPath(userId));
    expect(body).toHaveLength(2);
    const [left] = body.filter(({ provider }: { provider: string }) => provider === 'SVC');
    expect(made.map(({ body: one }) => one.id)).toContain(left.id);
    const last = await enroll(org.admin, userId, OWN_CODES);
    expect(await org.admin.get(`${factorsPath(userId)}/${left.id}`)).toMatchObject({ status: 404 });
    expect((await eventsOf(org, last)).map(({ eventType }) => eventType)).toEqual([
      'user.mfa.factor.deactivate',
      'user.mfa.factor.update',
    ]);
  });

  test.each([
    [{ factorType: 'sms', provider: 'SVC' }, 'factorType'],
    [{ factorType: 'constructor', provider: 'SVC' }, 'factorType'],
    [{ factorType: 'question', provider: 'GOOGLE' }, 'provider'],
    [{ factorType: 'token:software:totp', provider: 'OWN' }, 'provider'],
    [{ factorType: 'token:software:totp', provider: 'svc' }, 'provider'],
  ])('%j is refused', async (kind, field) => {
    const { id } = await org.createUser();
    const refused = await enroll(org.admin, id, kind);
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(causesIn(refused).join()).toContain(field);
  });

  test('a proof of another kind is refused and counts for nothing', async () => {
    const device = await userWithDevice(service, org);
    const { id: questionId } = (await enroll(org.admin, device.userId, QUESTION_FACTOR)).body;
    const question = `${factorsPath(device.userId)}/${questionId}`;
    for (const refused of [
      await org.admin.post(`${device.path}/verify`, answer('boiled cabbage')),
      await org.admin.post(`${question}/verify`, given('123456')),
    ])
      expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect((await org.admin.post(`${question}/lifecycle/activate`, given('123456'))).status).toBe(400);
  });
});
