import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { allRoutes } from '../../src/app/declared-routes.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import type { RequestOptions, TestClient, TestResponse } from '../support/client.ts';
import { repeatingOutbound } from '../support/hook-receiver.ts';
import { expectOfEvery } from '../support/offenders.ts';
import { useService } from '../support/use-service.ts';
import type { Asked } from './asking.ts';
import { useEveryRoute } from './use-every-route.ts';

const reads = allRoutes.filter(({ method }) => method === 'GET');
const listed = new Set(reads.filter(({ response }) => response.schema?.['type'] === 'array').map(({ url }) => url));
const readable = new Set(reads.map(({ url }) => url).filter((url) => !listed.has(url)));
const hasMembers = (url: string): boolean => [...readable].some((one) => one.startsWith(`${url}/:`));

/** Returns the path at which the resource that a route writes can be read, or null if there is none. */
function singleOf({ errorShape, method, url }: AnyRoute): string | null {
  // Browsers cannot send `If-Match` with the form of a page.
  if (method === 'GET' || errorShape === 'page' || listed.has(url)) return null;
  if (readable.has(url)) return hasMembers(url) && method !== 'PUT' && method !== 'DELETE' ? null : url;
  const holder = url.replace(/\/((lifecycle|credentials)\/\w+|:lifecycle)$/, '');
  return holder !== url && readable.has(holder) ? holder : null;
}

const writes = allRoutes.filter((route) => singleOf(route) !== null);

/** Writes without `If-Match`, each with the reason why it cannot overwrite another change. */
const WITHOUT: Readonly<Record<string, string>> = {
  forgotPassword: 'begins a recovery; the user stays as it is',
  replayEventHook: 'moves where deliveries go on, which is no part of the hook',
  replayLogStream: 'moves where deliveries go on, which is no part of the stream',
  revokeSession: "a session is its user's; it ends, whatever it was",
  extendSession: 'a session moves by itself with every use',
  refreshSession: 'a session moves by itself with every use',
  refreshCurrentSession: 'a session moves by itself with every use',
  closeCurrentSession: 'a session moves by itself with every use',
  revokeOAuth2TokenForApplication: 'a refresh token moves by itself with every use',
  revokeTokenForUserAndClient: 'a refresh token moves by itself with every use',
  revokeRefreshTokenForAuthorizationServerAndClient: 'a refresh token moves by itself with every use',
  userinfoPost: 'reads as the GET does',
  userinfoCustomASPost: 'reads as the GET does',
  generateNewClientSecret: 'each secret is a new one, and the client stays as it is',
  activateFactor: 'a factor is activated once, and nothing of it can be overwritten',
  unenrollFactor: 'a factor never changes what it is, so only one can be meant',
  resetFactors: 'removes all factors, whatever they are',
  updateFeatureLifecycle: 'a feature is enabled or is not: nothing of it can be overwritten',
  deletePolicyResourceMapping: 'an app is under a policy or is not: nothing of it can be overwritten',
};

/** Conditional writes after which the resource still reads the same, each with the reason. */
const KEEPS: Readonly<Record<string, string>> = {
  reactivateUser: 'only the activation is sent or shown again',
};

const NEVER_GIVEN = `W/"${'0'.repeat(64)}"`;

const { service, org } = useService({ outbound: repeatingOutbound });
let second: TestClient;
const faults: string[] = [];
/** Operations that changed a resource when the request contained its current tag. */
const moved = new Set<string>();
const refused = new Set<string>();
const formerTags = new Map<string, string>();

const tagOf = ({ headers }: TestResponse): string | undefined => headers['etag']?.toString();

const under = (client: TestClient, { method, options, path }: Asked, tag: string): Promise<TestResponse> => {
  const given: RequestOptions = { ...options, headers: { ...options.headers, 'if-match': tag } };
  return client.send(method, path, given);
};

interface Writing {
  readonly asked: Asked;
  readonly operationId: string;
  readonly at: string;
}

function demand(holds: boolean, { asked, operationId }: Writing, fault: string): void {
  if (!holds) faults.push(`${operationId}: ${fault} (${asked.method} ${asked.path})`);
}

async function refuseOthers(writing: Writing, before: TestResponse): Promise<void> {
  const { asked, at } = writing;
  const former = formerTags.get(at) ?? NEVER_GIVEN;
  for (const [tag, expected] of [
    [former, 412],
    [`"x", ${NEVER_GIVEN}`, 412],
    ['garbage', 400],
  ] as const) {
    const { body, status } = await under(asked.client, asked, tag);
    demand(status === expected, writing, `If-Match ${tag} answered ${status} ${body?.errorCode}`);
  }
  const unchanged = await org.admin.get(at);
  const isSame = tagOf(unchanged) === tagOf(before) && isDeepStrictEqual(unchanged.body, before.body);
  demand(isSame, writing, 'a refused write changed something');
}

/**
 * Sends a write twice at once with the same tag. Only one may change the resource. Returns a successful response or, if
 * there is none, the first response.
 */
async function writeTwice(writing: Writing, tag: string): Promise<TestResponse> {
  const { asked, at, operationId } = writing;
  const other = asked.client === org.admin ? second : asked.client;
  const answers = await Promise.all([under(asked.client, asked, tag), under(other, asked, tag)]);
  const [won = answers[0], ...winners] = answers.filter(({ status }) => status < 300);
  const lost = answers.find(({ status }) => status >= 300);
  const after = await org.admin.get(at);
  const now = tagOf(after);
  if (now === tag) {
    demand(lost === undefined, writing, `${lost?.status} where nothing changed: ${lost?.text}`);
    return won;
  }
  moved.add(operationId);
  formerTags.set(at, tag);
  demand(winners.length === 0, writing, 'both writers were let through');
  const isLate = lost?.status === 412 || (after.status === 404 && lost?.status === 404);
  demand(isLate, writing, `the late writer was told ${lost?.status} ${lost?.text}`);
  demand(after.status === 404 || now !== undefined, writing, 'what is read afterwards has no tag');
  const given = tagOf(won);
  demand(given === undefined || asked.method === 'DELETE' || given === now, writing, 'the answer has another tag');
  return won;
}

/** Sends a request. If it is a conditional write, also tests how the operation treats tags. */
async function write(asked: Asked): Promise<TestResponse> {
  const { client, method, options, path, route } = asked;
  const single = route === undefined ? null : singleOf(route);
  if (route?.conditional !== true || single === null) return client.send(method, path, options);
  const at = path.split('?')[0]?.split('/').slice(0, single.split('/').length).join('/') ?? '';
  const writing = { asked, at, operationId: route.operationId };
  const before = await org.admin.get(at);
  if (before.status === 404) {
    const { status } = await under(client, asked, '*');
    demand(status === 412 || status === 404, writing, `If-Match * answered ${status} where nothing is`);
    return client.send(method, path, options);
  }
  const tag = tagOf(before);
  demand(tag !== undefined, writing, `GET ${at} has no tag`);
  if (!refused.has(writing.operationId)) await refuseOthers(writing, before);
  refused.add(writing.operationId);
  return writeTwice(writing, tag ?? '*');
}

beforeAll(async () => {
  second = await org.withRoles('SUPER_ADMIN');
  await useEveryRoute(service, write);
}, 300_000);

describe('declarations', () => {
  test('there are writes of single resources', () => expect(writes.length).toBeGreaterThan(80));

  test('every one is conditional, or says why not', () => {
    const unconditional = writes.filter(({ conditional }) => conditional !== true).map((route) => route.operationId);
    expect(unconditional.toSorted()).toEqual(Object.keys(WITHOUT).toSorted());
  });

  test('all of them tell both refusals', () => {
    const silent = allRoutes
      .filter(({ conditional }) => conditional === true)
      .filter(({ errors }) => !errors.includes('E0000231') || !errors.includes('E0000242'));
    expect(silent).toEqual([]);
  });
});

describe('two administrators, one resource', () => {
  const conditional = writes.filter((route) => route.conditional === true);

  test('one wins, nothing is lost', () =>
    expectOfEvery({ rows: conditional, nameOf: (route) => route.operationId, atLeast: 125 }, ({ operationId }) => {
      expect(faults.filter((fault) => fault.startsWith(`${operationId}:`))).toEqual([]);
      expect(moved.has(operationId), 'whether it changed what is read').toBe(!Object.hasOwn(KEEPS, operationId));
    }));
});
