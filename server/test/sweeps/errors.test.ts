import { describe, expect, test } from 'vitest';
import { allRoutes } from '../../src/app/declared-routes.ts';
import { ERRORS } from '../../src/kernel/errors/errors.ts';
import { OAUTH_ERRORS } from '../../src/kernel/errors/oauth-errors.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import type { RequestOptions, TestResponse } from '../support/client.ts';
import { expectOfEvery } from '../support/offenders.ts';
import { productSources } from '../support/sources.ts';
import { useService } from '../support/use-service.ts';

/** Errors that the edge can return on any route, so the declarations of routes may leave them out. */
const OF_THE_EDGE: ReadonlySet<string> = new Set([
  'E0000001', // The request may contain a character that is not supported.
  'E0000002',
  'E0000003',
  'E0000004',
  'E0000006',
  'E0000008',
  'E0000009',
  'E0000011',
  'E0000018',
  'E0000019',
  'E0000021',
  'E0000022',
  'E0000047',
  'E0000122',
  'E0000181',
]);

const { org } = useService();

const BAD_QUERIES = [
  '',
  '?limit=0',
  '?limit=-1',
  '?limit=abc',
  '?limit=1000000000',
  '?limit=2&limit=3',
  '?after=edited',
  '?before=edited',
  '?after=a&before=b',
  '?filter=nonsense',
  '?filter=status%20xx%20%22A%22',
  '?search=nonsense',
  '?search=a%20pr&filter=b%20pr',
  '?sortBy=nonsense&search=status%20pr',
  '?sortOrder=sideways',
  '?since=yesterday',
  '?until=',
  '?q=%20',
  `?q=${'a'.repeat(3_000)}`,
  '?activate=perhaps',
  '?sendEmail=perhaps',
  '?strict=perhaps',
  '?nextLogin=changePassword&activate=false',
  '?provider=perhaps',
];

const BAD_BODIES: readonly RequestOptions[] = [
  {},
  { body: {} },
  { body: [] },
  { body: null },
  { body: { profile: { login: 5 }, name: 5, type: 5, companyName: 5, scopes: 5 } },
  { body: { profile: { unknown: 1 }, credentials: { password: { value: '' } }, groupIds: ['x'] } },
  { body: { name: '', origin: 'x', scopes: [], type: 'KING', companyName: '' } },
  { body: { profile: {} }, headers: { 'if-match': 'garbage' } },
  { body: { profile: {} }, headers: { 'if-match': 'W/"0"' } },
  { body: { profile: {} }, headers: { 'idempotency-key': ' ' } },
];

const BAD_FORMS: readonly RequestOptions[] = [
  '',
  '=',
  'token',
  'a=b&a=c',
  'grant_type=password',
  'grant_type=client_credentials&scope=',
  'client_id=0oanobody&token=x',
  `client_id=0oanobody&client_secret=${'x'.repeat(1_000)}&token=x`,
  'client_assertion_type=x&client_assertion=y',
  'client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer&client_assertion=e30.e30.x',
].map((raw) => ({ raw, headers: { 'content-type': 'application/x-www-form-urlencoded' } }));

function attempts(route: AnyRoute): { path: string; options: RequestOptions }[] {
  const paths = ['00unobody', 'me', 'default'].map((id) => route.url.replaceAll(/:\w+/g, id));
  const queried = BAD_QUERIES.map((query) => ({ path: `${paths[0]}${query}`, options: {} }));
  if (route.method === 'GET') return queried;
  // Revoking the administrator's own token would make all further requests fail.
  if (route.operationId === 'revokeCurrentApiToken') return [];
  const isHarmless = !/lifecycle|roles|current/.test(route.url) && route.method !== 'DELETE';
  const addresses = isHarmless ? new Set(paths) : new Set([paths[0] ?? '']);
  const bodies = route.bodyType === 'form' ? [...BAD_FORMS, ...BAD_BODIES] : BAD_BODIES;
  const bodied = [...addresses].flatMap((path) => bodies.map((options) => ({ path, options })));
  return [...queried, ...bodied];
}

const isTextOf = (row: string, text: string): boolean => row.split(/\{\w+\}/).every((part) => text.includes(part));

const EDGE_TEXTS = Object.entries(ERRORS).flatMap(([code, { summary }]) => (OF_THE_EDGE.has(code) ? [summary] : []));

/** Returns whether the error is in the OAuth table or is one that the edge can return for any request. */
function isOAuthError({ body: { error, error_description: text }, status }: TestResponse): boolean {
  const rows = Object.values(OAUTH_ERRORS);
  if (rows.some((row) => row.status === status && row.error === error && isTextOf(row.description, text))) return true;
  return error === 'invalid_request' && EDGE_TEXTS.some((row) => isTextOf(row, text));
}

const isMetadataError = ({ body: { error }, status }: TestResponse): boolean =>
  status === 400 && (error === 'invalid_client_metadata' || error === 'invalid_redirect_uri');

/** A 501 for a feature that is not implemented yet is not a fault (ADR 0059). */
const saysWhatIsMissing = ({ errors }: AnyRoute, { status }: TestResponse): boolean =>
  status === 501 && errors.includes('E0000060');

function isDeclared(route: AnyRoute, response: TestResponse): boolean {
  const { body, status } = response;
  // A page contains no error code, so its status is checked instead.
  if (route.errorShape === 'page' && typeof body === 'string') {
    const isKnown = [400, 401, 403, 404, 429].includes(status) || saysWhatIsMissing(route, response);
    return body.startsWith('<!doctype html>') && isKnown;
  }
  if (route.errorShape === 'registration' && body.error !== undefined) return isMetadataError(response);
  if (route.errorShape === 'oauth' && body.error !== undefined) return isOAuthError(response);
  return OF_THE_EDGE.has(body.errorCode) || (route.errors as readonly string[]).includes(body.errorCode);
}

const named = ({ method, url }: AnyRoute): string => `${method} ${url}`;
const LONG = 300_000;

async function refusesNonsense(route: AnyRoute): Promise<void> {
  for (const { path, options } of attempts(route)) {
    const response = await org.admin.send(route.method, path, options);
    const { status, text } = response;
    if (status < 400) continue;
    const isFault = status >= 500 && !saysWhatIsMissing(route, response);
    const judged = { path, options, text, isDeclared: isDeclared(route, response), isFault };
    expect(judged).toEqual({ path, options, text, isDeclared: true, isFault: false });
  }
  const { status, text } = await org.admin.get('/api/v1/users/me');
  expect(status, `the administrator afterwards: ${text}`).toBe(200);
}

describe('errors', () => {
  test('every route answers nonsense with what it declares, never with a fault', { timeout: LONG }, () =>
    expectOfEvery({ rows: allRoutes, nameOf: named, atLeast: 490 }, refusesNonsense),
  );

  test('every code that the source names is in the table', () => {
    const thrown = new Set(productSources().flatMap((text) => text.match(/(?<=')E\d{7}(?=')/g) ?? []));
    expect(thrown.size).toBeGreaterThan(20);
    expect([...thrown].filter((code) => !(code in ERRORS))).toEqual([]);
  });
});
