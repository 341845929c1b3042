import { describe, expect, test } from 'vitest';
import type { TestResponse } from '../support/client.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

// This file tests which requests GET /api/v1/logs refuses, and with which error messages (contract section 3).

const { service, org } = useService({ isShared: false });

const DAY_MILLISECONDS = 86_400_000;
const daysAgo = (days: number): Date => new Date(service.clock.now().getTime() - days * DAY_MILLISECONDS);

const ask = (parameters: Readonly<Record<string, string>>, from: TestOrg = org): Promise<TestResponse> =>
  from.admin.get(`/api/v1/logs?${new URLSearchParams(parameters).toString().replaceAll('+', '%20')}`);

const A_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function expectRefusal(
  response: TestResponse,
  status: number,
  errorCode: string,
  errorSummary: string,
  causes?: string[],
): void {
  const errorCauses = causes?.map((cause) => ({ errorSummary: cause }));
  expect(response.status).toBe(status);
  expect(response.body).toEqual({
    errorCode,
    errorSummary,
    errorId: expect.stringMatching(A_UUID),
    ...(errorCauses === undefined ? {} : { errorCauses }),
  });
  expect(String(response.headers['content-type'])).toMatch(/^application\/json/);
}

const UNRECOGNISED = 'The date format in your query is not recognized. Please enter dates using ISO8601 string format.';
const NOT_VALID = 'must be a valid date-time or empty.';

describe('E0000053', () => {
  const filter = (text: string) => ask({ filter: text });
  const EXPECTED = 'Expected: eq,co,sw,pr,gt,ge,lt,le';

  test.each([
    ['display_message eqq "Create user"', 'eqq', 16],
    ['actor.id eqx "a" and eventType eq "b"', 'eqx', 9],
    ['eventType eq "b" and actor.id like "a"', 'like', 30],
    ['not (eventType equals "b")', 'equals', 15],
  ])('an unknown operator, with its position: %s', async (text, operator, position) => {
    const unknown = `Unrecognized attribute operator '${operator}' at position ${position}`;
    const summary = `Invalid filter '${text}': ${unknown}. ${EXPECTED}`;
    expectRefusal(await filter(text), 400, 'E0000053', summary);
  });

  test.each(['some_invalid_field', 'Actor.id', 'actor', 'target', 'constructor', 'toString', 'debugContext.debugData'])(
    'an unknown field: %s',
    async (name) => {
      expectRefusal(await filter(`${name} eq "x"`), 400, 'E0000053', `field is not valid: ${name}`);
    },
  );

  test.each(['published gt "2024-01-01T00:00:00Z"', 'eventType pr and published pr'])('published: %s', async (text) => {
    expectRefusal(await filter(text), 400, 'E0000053', 'field is not valid: published');
  });

  test.each([
    ['eventType eq 1', 'eventType'],
    ['securityContext.asNumber eq "x"', 'securityContext.asNumber'],
    ['securityContext.isProxy eq "true"', 'securityContext.isProxy'],
  ])('a value of another type: %s', async (text, name) => {
    const response = await filter(text);
    expect(response.body.errorSummary).toMatch(new RegExp(`^Invalid filter value for field ${name}: `));
    expectRefusal(response, 400, 'E0000053', response.body.errorSummary);
  });

  test.each([
    'eventType',
    'eventType eq',
    '(eventType pr',
    'eventType pr)',
    'eventType pr and',
    'and',
    '"x"',
    'a b c d',
  ])('what is no expression: %s', async (text) => {
    const response = await filter(text);
    expectRefusal(response, 400, 'E0000053', response.body.errorSummary);
    expect(response.body.errorSummary).toContain(text);
  });

  test('no brackets: the elements of an array can be asked for by their names alone', async () => {
    expect((await filter('target[type eq "User"]')).body).toMatchObject({ errorCode: 'E0000053' });
    expect((await filter('target[type eq "User" and id eq "x"]')).status).toBe(400);
  });

  test('since over 180 days ago, counted from the beginning of the day', async () => {
    const summary = 'Invalid parameter: The since parameter is over 180 days prior to the current day.';
    const today = new Date(Math.floor(service.clock.now().getTime() / DAY_MILLISECONDS) * DAY_MILLISECONDS);
    const bound = new Date(today.getTime() - 180 * DAY_MILLISECONDS);
    const before = new Date(bound.getTime() - 1);
    expectRefusal(await ask({ since: before.toISOString() }), 400, 'E0000053', summary);
    expectRefusal(await ask({ since: before.toISOString(), until: bound.toISOString() }), 400, 'E0000053', summary);
    expect((await ask({ since: bound.toISOString() })).status).toBe(200);
  });
});

describe('E0000031', () => {
  const summary = 'The supplied combination of operator and field is not currently supported. Operator: co, Field: ';
  test.each(['debugContext.debugData.url', 'debugContext.debugData.requestUri'])('co on %s', async (name) => {
    expectRefusal(await ask({ filter: `${name} co "x"` }), 400, 'E0000031', summary + name);
    expectRefusal(await ask({ filter: `eventType pr and not (${name} CO "x")` }), 400, 'E0000031', summary + name);
    for (const operator of ['eq', 'sw', 'ew']) {
      expect((await ask({ filter: `${name} ${operator} "x"` })).status).toBe(200);
    }
  });
});

describe('E0000001', () => {
  test.each([
    '',
    'x',
    'yesterday',
    '2024-01-01',
    '2024-01-01T00:00:00',
    '2024-13-01T00:00:00Z',
    '2024-02-30T00:00:00Z',
  ])('until %j, with both causes', async (until) => {
    const summary = `Api validation failed: 'until': ${UNRECOGNISED}. 'until': ${NOT_VALID}`;
    expectRefusal(await ask({ until }), 400, 'E0000001', summary, [`until: ${UNRECOGNISED}`, `until: ${NOT_VALID}`]);
  });

  test.each(['x', '', '2024-02-30'])('since %j likewise', async (since) => {
    const summary = `Api validation failed: 'since': ${UNRECOGNISED}. 'since': ${NOT_VALID}`;
    expectRefusal(await ask({ since }), 400, 'E0000001', summary, [`since: ${UNRECOGNISED}`, `since: ${NOT_VALID}`]);
  });

  test('q with an item of 41 characters', async () => {
    const summary =
      "Api validation failed: 'q': Freeform search cannot contain items longer than 40 characters. Please shorten " +
      'the items in your search or use an advanced filter to query by specific fields.';
    for (const q of ['x'.repeat(41), `short ${'ü'.repeat(41)}`, `${'a'.repeat(20)}-${'b'.repeat(20)}`]) {
      expectRefusal(await ask({ q }), 400, 'E0000001', summary);
    }
    for (const q of ['x'.repeat(40), 'ü'.repeat(40)]) expect((await ask({ q })).status).toBe(200);
  });

  test('q with an eleventh item, counted as written', async () => {
    const ten = 'a b c d e f g h i j';
    expect((await ask({ q: ` ${ten}  ` })).status).toBe(200);
    const response = await ask({ q: `${ten} a` });
    expectRefusal(response, 400, 'E0000001', response.body.errorSummary);
    expect(response.body.errorSummary).toMatch(/^Api validation failed: 'q': /);
  });

  test('q with what no event can hold', async () => {
    for (const q of ['%00', 'a%00b', '%ED%A0%80', '%FF', '%']) {
      const response = await org.admin.get(`/api/v1/logs?q=${q}`);
      expect(response.status, q).toBe(400);
      expect(response.body.errorId, q).toEqual(expect.any(String));
    }
  });

  test('after beside since', async () => {
    const response = await ask({ after: 'x', since: daysAgo(1).toISOString() });
    expectRefusal(response, 400, 'E0000001', response.body.errorSummary, response.body.errorCauses);
  });

  test.each(['since', 'until', 'filter', 'q', 'limit', 'sortOrder', 'after'])('%s twice', async (name) => {
    const response = await org.admin.get(`/api/v1/logs?${name}=1&${name}=2`);
    expect(response).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(response.body.errorId).toMatch(A_UUID);
  });

  test.each(['ascending', 'DESC', ''])('sortOrder %j', async (sortOrder) => {
    expect(await ask({ sortOrder })).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });

  test('a cursor that none is', async () => {
    for (const after of ['', 'x', '1626362552000_1', '../..', 'a'.repeat(5_000)]) {
      expect(await ask({ after }), after).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    }
  });
});

describe('limit', () => {
  test.each([
    ['0', 200, undefined],
    ['1', 200, undefined],
    ['1000', 200, undefined],
    ['1001', 400, 'E0000001'],
    ['-1', 400, 'E0000001'],
    ['1000000000', 400, 'E0000001'],
    ['abc', 400, 'E0000037'],
    ['', 400, 'E0000037'],
    ['1.5', 400, 'E0000037'],
    ['1e2', 400, 'E0000037'],
    ['99999999999999999999', 400, 'E0000037'],
  ])('%j is %i', async (limit, status, errorCode) => {
    const response = await ask({ limit });
    expect(response.status).toBe(status);
    expect(response.body.errorCode).toBe(errorCode);
    if (status === 200) expect(response.body.length).toBeLessThanOrEqual(Number(limit));
    else expect(response.body.errorId).toMatch(A_UUID);
  });
});

describe('who may not', () => {
  test('a missing or wrong credential, and a missing permission, in the shape of the log', async () => {
    const nobody = await org.withRoles();
    for (const [client, status, errorCode] of [
      [org.anonymous, 401, 'E0000004'],
      [org.client({ authorization: 'SSWS 00wrong' }), 401, 'E0000011'],
      [nobody, 403, 'E0000006'],
    ] as const) {
      const response = await client.get('/api/v1/logs');
      expectRefusal(response, status, errorCode, response.body.errorSummary);
    }
  });
});

describe('a fault of ours', () => {
  const { service: slow } = useService(() => ({
    database: service.database,
    logQueryTimeoutMilliseconds: 150,
    rateLimitPerMinute: 4,
  }));

  test('past its time: 500 E0000009, with an errorId', async () => {
    const client = await service.database.pool.connect();
    try {
      await client.query('begin');
      await client.query('lock table log_fresh in access exclusive mode');
      const response = await slow.org.admin.get('/api/v1/logs');
      expectRefusal(
        response,
        500,
        'E0000009',
        "Your last request took too long to complete. This is likely due to a load issue on our side. We've logged " +
          'this and will work to address it. Please either simplify your query or wait a few minutes and try again.',
      );
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  test('an unexpected one: 500 E0000053, and nothing of it is told', async () => {
    await service.database.pool.query('alter view log_unsealed rename column body to not_body');
    try {
      expectRefusal(
        await ask({ limit: '1' }),
        500,
        'E0000053',
        "Sorry, there's been an error. We aren't sure what caused it, but we've logged this and will work to address " +
          'it. Please try your request again.',
      );
    } finally {
      await service.database.pool.query('alter view log_unsealed rename column not_body to body');
    }
    expect((await ask({ limit: '1' })).status).toBe(200);
  });

  test('too many requests: 429 E0000047, with what the SDKs need to wait', async () => {
    let response = await slow.org.admin.get('/api/v1/logs?limit=0');
    for (let count = 0; count < 5 && response.status !== 429; count += 1) {
      response = await slow.org.admin.get('/api/v1/logs?limit=0');
    }
    expectRefusal(response, 429, 'E0000047', 'API call exceeded rate limit due to too many requests.');
    expect(response.headers).toMatchObject({
      'x-rate-limit-limit': '4',
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': expect.stringMatching(/^\d{10}$/),
      date: expect.any(String),
    });
  });
});
