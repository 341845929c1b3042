import { afterAll, beforeAll, expect, test } from 'vitest';
import { allRoutes } from '../../src/app/declared-routes.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import { createApp, webApp } from '../support/apps.ts';
import { newAsserter } from '../support/assertion-grant.ts';
import { newUser } from '../support/authn.ts';
import { slowness } from '../support/cpu-time.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { formsIn } from '../support/forms.ts';
import { openPageClient, signInByPages } from '../support/page-client.ts';
import { defaultPolicyPath } from '../support/policies.ts';
import { startTestService, type TestOrg } from '../support/service.ts';
import { newServiceApp, newTestKey } from '../support/service-apps.ts';
import { type ServingProcess, startServingProcess } from '../support/serving-thread.ts';
import { newWebApp } from '../support/web-apps.ts';
import { idsOfEverything } from '../sweeps/ids-of-everything.ts';
import { type WorstInput, worstHeaders, worstInputs } from './worst-inputs.ts';
import { honestRequests, type Signers, signedInputs } from './worst-signed.ts';

// This file tests that the worst input of a route blocks the event loop only for a limited time. This time must not
// grow much faster than the input.

/**
 * Shorter times are not checked, because measurements on a busy machine are not exact. On a slow machine, this floor
 * rises as the limits do, because otherwise most requests would be measured eleven times.
 */
const floorNow = (): number => 25 * slowness({ tries: 2, turns: 1_000_000 });
const GROWTH_FLOOR_MILLISECONDS = 40;
const MOST_MILLISECONDS = 100;
const MOST_GROWTH = 2.5;
/** The number of turns is odd, so that one of their ratios is the median. */
const TURNS = 5;

let database: TestDatabase;
let org: TestOrg;
let serving: ServingProcess;
let ids: Readonly<Record<string, string>>;
let client: Readonly<Record<string, string>>;
let signers: Signers;

beforeAll(async () => {
  database = await openTestDatabase();
  const service = await startTestService({ database });
  org = service.org;
  ids = await idsOfEverything(service, org);
  const app = await newWebApp(org, { redirectUris: ['https://app.example.com/cb'] });
  const routing = await defaultPolicyPath(org, 'IDP_DISCOVERY');
  const person = await newUser(org);
  const browser = openPageClient(org);
  await signInByPages(browser, person.profile.login);
  const form = formsIn((await browser.get('/account/profile')).text).find(
    ({ action }) => action === '/account/profile',
  );
  const replaced = await createApp(org, webApp());
  ids = { ...ids, routingPolicyId: routing.split('/').at(-1) ?? '', webAppId: replaced.id };
  signers = {
    service: await newServiceApp(org, { key: newTestKey('ES256') }),
    bound: await newServiceApp(org, { key: newTestKey('ES256'), settings: { dpop_bound_access_tokens: true } }),
    asserter: await newAsserter(org, [person.id]),
    userId: person.id,
  };
  await service.close();
  serving = await startServingProcess({
    database,
    masterKey: Buffer.alloc(32, 7),
    hostname: org.hostname,
    headers: { authorization: `SSWS ${org.adminToken}` },
  });
  client = {
    client_id: app.id,
    client_secret: app.clientSecret,
    origin: serving.origin,
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    page: new URLSearchParams(form?.fields).toString(),
  };
});
afterAll(async () => {
  await serving.stop();
  await database.close();
});

type Asked = Pick<AnyRoute, 'access' | 'errors' | 'method'>;

async function costOf({ access, errors, method }: Asked, input: WorstInput, bytes: number): Promise<number> {
  const { options, path } = input.make(Math.floor(bytes));
  const before = serving.cpuMilliseconds();
  const { status, text } = await serving[access === 'public' ? 'anonymous' : 'client'].send(method, path, options);
  const cost = serving.cpuMilliseconds() - before;
  // Only routes that declare E0000060 may answer with 501 (ADR 0059).
  const isMissing = status === 501 && errors.includes('E0000060');
  if ((status >= 500 && !isMissing) || status === 429)
    throw new Error(`${method} ${path.slice(0, 100)} ${input.label}: ${status} ${text}`);
  return cost;
}

/**
 * Measures the whole input and its half in turns. A short change of the machine's speed then distorts neither the least
 * time nor the median of the ratios.
 */
async function costsInTurns(asked: Asked, input: WorstInput): Promise<{ whole: number; half: number; growth: number }> {
  const wholes: number[] = [];
  const halves: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    wholes.push(await costOf(asked, input, input.most));
    halves.push(await costOf(asked, input, input.most / 2));
  }
  const ratios = wholes.map((whole, turn) => whole / (halves[turn] ?? Number.NaN));
  const growth = ratios.toSorted((one, other) => one - other)[(TURNS - 1) / 2] ?? Number.NaN;
  return { whole: Math.min(...wholes), half: Math.min(...halves), growth };
}

async function problemOf(asked: Asked, input: WorstInput, floor: number): Promise<string | null> {
  if ((await costOf(asked, input, input.most)) < floor) return null;
  const { growth, half, whole } = await costsInTurns(asked, input);
  if (whole < floor) return null;
  const slow = slowness();
  const grows = whole > GROWTH_FLOOR_MILLISECONDS * slow && growth > MOST_GROWTH;
  if (!grows && whole <= MOST_MILLISECONDS * slow) return null;
  const times = `${half.toFixed(1)} ms, twice as much ${whole.toFixed(1)} ms, growth ${growth.toFixed(1)}`;
  return `${input.label}: ${times}, ${slow.toFixed(1)} times slow`;
}

test('what is signed below is believed where there is nothing strange in it', async () => {
  const answers: string[] = [];
  for (const { label, options, path } of honestRequests(signers, serving.origin)) {
    const { body, status } = await serving.anonymous.send('POST', path, options);
    answers.push(`${label}: ${status} ${body.error ?? body.token_type}`);
  }
  expect(answers).toEqual([
    'client assertion: 200 Bearer',
    // The service has accepted the assertion when it returns this error.
    'assertion about a user: 401 access_denied',
    'proof of a key: 400 use_dpop_nonce',
  ]);
});

test('no request holds the event loop', async () => {
  const found: string[] = [];
  let floor = floorNow();
  for (const route of allRoutes) {
    floor = floorNow();
    for (const input of worstInputs(route, ids, org, client)) {
      const problem = await problemOf(route, input, floor).catch(
        (error: unknown) => `${input.label}: ${String(error)}`,
      );
      if (problem !== null) found.push(`${route.operationId} ${problem}`);
    }
  }
  for (const path of ['/api/v1/users?limit=1', '/signin', '/oauth2/v1/userinfo', '/oauth2/v1/keys']) {
    for (const input of worstHeaders(path)) {
      const problem = await problemOf({ access: 'authenticated', errors: [], method: 'GET' }, input, floor);
      if (problem !== null) found.push(`${path} ${problem}`);
    }
  }
  for (const input of signedInputs(signers, serving.origin)) {
    const problem = await problemOf({ access: 'public', errors: [], method: 'POST' }, input, floor);
    if (problem !== null) found.push(problem);
  }
  expect(found).toEqual([]);
}, 600_000);
