import { Ajv, type ValidateFunction } from 'ajv';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import { deadAddressesIn } from './addresses.ts';
import type { TestResponse } from './client.ts';
import { type ContractValidator, hasContract, loadContract } from './contract.ts';

// The value `true` makes Ajv accept a format without checking it. Ajv warns about formats that are not listed.
const ajv = new Ajv({ strict: false, formats: { 'date-time': true, uuid: true, uri: true, email: true } });
const validators = new WeakMap<object, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, known);
  return known;
}

const ERROR_MEMBERS = ['errorCode', 'errorSummary', 'errorId'];

const isPage = ({ headers }: TestResponse): boolean => String(headers['content-type']).startsWith('text/html');

const isRedirect = ({ headers, status }: TestResponse): boolean =>
  (status === 302 || status === 303) && headers['location'] !== undefined;

const patternOf = (url: string): RegExp => new RegExp(`^${url.replaceAll(/:[^/]+/g, '[^/]+').replaceAll('.', '\\.')}$`);

/** Our own types of log streams, which the contract does not describe. */
const OWN_STREAM_TYPES: ReadonlySet<unknown> = new Set(['https_ndjson', 'file_ndjson']);

/** A role type that contract section 14 lists but the schema `RoleType` lacks. */
const FORMER_ROLE_TYPE = 'MOBILE_ADMIN';

/**
 * In the contract, the parameter `resourceId` selects the policies of an authorization server, but the schema
 * `PolicyType` lacks the type of these policies.
 */
const POLICY_OF_SERVER = 'OAUTH_AUTHORIZATION_POLICY';

const isUndescribed = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  (OWN_STREAM_TYPES.has(value.type) || value.type === FORMER_ROLE_TYPE || value.type === POLICY_OF_SERVER);

/** Returns the body, or undefined if the contract does not describe it. Drops undescribed items from a list. */
function describedPart(body: unknown): unknown {
  if (Array.isArray(body)) return body.filter((item) => !isUndescribed(item));
  return isUndescribed(body) ? undefined : body;
}

/** The contract's schema, unlike its example, says that each member of the user embedded in an app is an object. */
const isEmbeddedUser = (name: string, member: unknown): boolean =>
  name === 'user' && typeof member === 'object' && member !== null && 'syncState' in member;

/** The contract says that each resource embedded in a policy is an object. Clients expect the rules to be a list. */
const isEmbeddedRules = (name: string, member: unknown): boolean => name === 'rules' && Array.isArray(member);

/** The schema `User` says that embedded resources are objects, but `UserGetSingleton` says that blocks are a list. */
const isEmbeddedBlocks = (name: string, member: unknown): boolean => name === 'blocks' && Array.isArray(member);

/** The contract's schema says that the attributes of a condition are an object. In its examples, they are a list. */
const isConditionList = (name: string, member: unknown): boolean =>
  name.endsWith(':ResourceAttribute/User/Profile') && Array.isArray(member);

/** The contract's schema says that a client's logout addresses are one string. In its examples, they are a list. */
const isLogoutUris = (name: string, member: unknown): boolean =>
  name === 'post_logout_redirect_uris' && Array.isArray(member);

/**
 * Removes null members, because clients must accept their absence (specification 9.2), and members that the contract's
 * schema describes wrongly.
 */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, member]) =>
      member !== null &&
      ![isConditionList, isEmbeddedBlocks, isEmbeddedRules, isEmbeddedUser, isLogoutUris].some((isContradicted) =>
        isContradicted(name, member),
      ),
  );
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}

const contracts = new Map<string, ContractValidator>();

/** Returns the validator of the contract with `word` as its namespace, or null if the contract is not available. */
function contractIn(word: string): ContractValidator | null {
  if (!hasContract) return null;
  const contract = contracts.get(word) ?? loadContract(word);
  contracts.set(word, contract);
  return contract;
}

/** Returns the protections that a page's headers lack (attacks 55 and 59 in docs/security-rows.md). */
function missingOfPage({ headers }: TestResponse): string[] {
  const policy = String(headers['content-security-policy']);
  // Browsers do not show a sandboxed page that has an opener policy.
  const isSandboxed = policy.endsWith('; sandbox allow-scripts');
  const openers = new Set(
    policy.includes('frame-ancestors http') ? ['unsafe-none'] : [isSandboxed ? 'none' : 'same-origin'],
  );
  const facts: readonly (readonly [name: string, holds: boolean])[] = [
    ['a policy that loads nothing', policy.includes("default-src 'none'")],
    ['styles by nonce, if any', !policy.includes('style-src') || /style-src 'nonce-[A-Za-z0-9+/]{24}'/.test(policy)],
    // An app may frame a page that posts a message to this app (contract section 7).
    ['frames of nobody else', /frame-ancestors ('none'|https?:\/\/[^\s*]+)(;|$)/.test(policy)],
    ['no inline code', !policy.includes('unsafe')],
    ['no-store', String(headers['cache-control']).includes('no-store')],
    ['a referrer policy', /^(same-origin|strict-origin)$/.test(String(headers['referrer-policy']))],
    // A page that posts a message to an app must keep its reference to the window that opened it.
    ['its own browsing context', openers.has(String(headers['cross-origin-opener-policy'] ?? 'none'))],
  ];
  return facts.filter(([, holds]) => !holds).map(([name]) => name);
}

/** Path prefixes of responses that are the same for every caller and may be cached. */
const EVERYBODYS = [
  '\\.well-known',
  'api/openapi\\.json',
  'api/reference',
  'oauth2/(?:\\w+/)?(?:\\.well-known|v1/keys)',
  'assets',
  'fs',
];
const IS_EVERYBODYS = new RegExp(`^/(?:${EVERYBODYS.join('|')})(?:/|\\?|$)`);

/**
 * Returns whether a cache could pass one caller's response on to another caller (attack 59 in docs/security-rows.md).
 */
const mayBeKept = (path: string, { headers }: TestResponse): boolean =>
  !String(headers['cache-control']).includes('no-store') &&
  (headers['set-cookie'] !== undefined || !IS_EVERYBODYS.test(path));

type Finder = (method: string, path: string) => AnyRoute | undefined;

const finders = new WeakMap<readonly AnyRoute[], Finder>();

function finderOf(routes: readonly AnyRoute[]): Finder {
  // Routes with fewer parameters come first, because the router prefers fixed text to parameters.
  const known = routes
    .map((route) => ({ route, pattern: patternOf(route.url) }))
    .toSorted((one, other) => one.route.url.split(':').length - other.route.url.split(':').length);
  return (method, path) => {
    const pathname = path.split('?')[0] ?? path;
    return known.find(({ route, pattern }) => route.method === method && pattern.test(pathname))?.route;
  };
}

/** Builds the check that test clients apply to every response. It throws if the response is wrong. */
export function checkAnswer(routes: readonly AnyRoute[], word: string) {
  const routeAt = finders.get(routes) ?? finderOf(routes);
  finders.set(routes, routeAt);
  return (method: string, path: string, response: TestResponse, origin: string): void => {
    const fail = (problem: string): never => {
      throw new Error(`${method} ${path} answered ${response.status}: ${problem}\n${response.text.slice(0, 2_000)}`);
    };
    const requestIds = Object.keys(response.headers).filter((name) => /^x-[a-z0-9]+-request-id$/.test(name));
    if (requestIds.length !== 1) fail('no request id');
    if (response.headers['x-content-type-options'] !== 'nosniff') fail('no nosniff');
    if (mayBeKept(path, response)) fail('a cache may keep it');
    const dead = deadAddressesIn(routes, response, origin, path);
    if (dead.length > 0) fail(`it hands out addresses that lead nowhere: ${dead.join(', ')}`);
    if (isPage(response)) {
      const missing = missingOfPage(response);
      if (missing.length > 0) fail(`the page has not: ${missing.join(', ')}`);
      return;
    }
    if (response.status >= 400) {
      const route = routeAt(method, path);
      if (
        (route?.errorShape === 'oauth' || route?.errorShape === 'registration') &&
        typeof response.body?.error === 'string'
      ) {
        const names = Object.keys(response.body).join();
        if (names !== 'error,error_description') fail(`an OAuth error has other members: ${names}`);
        return;
      }
      for (const member of ERROR_MEMBERS) {
        if (typeof response.body?.[member] !== 'string') fail(`the error object has no ${member}`);
      }
      if (/\bat .*\.(ts|js):\d+|select .* from|insert into/i.test(response.text)) fail('a stack or SQL in the answer');
      return;
    }
    const route = routeAt(method, path);
    if (route === undefined || response.status === 204) return;
    // A route for a page may redirect to another page.
    if (route.errorShape === 'page' && response.status === 303) return;
    const { schema, status } = route.response;
    if (status !== response.status && !(route.response.mediaType === 'text/html' && isRedirect(response)))
      fail(`the route declares ${status}`);
    if (schema === null || response.body === undefined || typeof response.body === 'string') return;
    const validate = validatorOf(schema);
    if (!validate(response.body)) fail(ajv.errorsText(validate.errors));
    const described = describedPart(withoutNulls(response.body));
    if (described === undefined) return;
    const differences = contractIn(word)?.validateResponse(route.operationId, response.status, described) ?? [];
    if (differences.length > 0) fail(`differs from the contract: ${differences.join('; ')}`);
  };
}
