import type { AnyRoute } from '../../platform/http/index.ts';
import { DIRECTORY_OPERATIONS, ROLE_TARGET_OPERATIONS } from './texts/directory-operations.ts';
import { MANAGEMENT_OPERATIONS } from './texts/management-operations.ts';
import { optionalAccessOf, publicAccessOf } from './texts/public-access.ts';
import { PAGE_OPERATIONS, SIGN_IN_OPERATIONS } from './texts/sign-in-operations.ts';

export const OPERATION_TEXTS: Readonly<Record<string, string>> = {
  ...DIRECTORY_OPERATIONS,
  ...ROLE_TARGET_OPERATIONS,
  ...MANAGEMENT_OPERATIONS,
  ...SIGN_IN_OPERATIONS,
  ...PAGE_OPERATIONS,
};

/** Sentences for operations whose summary starts with one of these verbs; `what` is the rest of the summary. */
const VERBS: Readonly<Record<string, (what: string) => string>> = {
  List: (what) => `The answer lists ${what}.`,
  Retrieve: (what) => `The answer is ${the(what)}.`,
  Create: (what) => `The answer is the new ${bare(what)}.`,
  Replace: (what) => `The body replaces ${the(what)}, and the answer is the result.`,
  Delete: (what) => `The operation deletes ${the(what)}.`,
  Activate: (what) => `The status of ${the(what)} becomes \`ACTIVE\`.`,
  Deactivate: (what) => `The status of ${the(what)} becomes \`INACTIVE\`.`,
};

const ARTICLE = /^(?:an?|the|all|our own) /;
const bare = (what: string): string => what.replace(ARTICLE, '');
const the = (what: string): string => what.replace(/^an? /, 'the ');

/** The first sentence on an operation; undefined if neither the table nor the verb of the summary has one. */
export function textOf({ operationId, summary }: AnyRoute): string | undefined {
  const own = OPERATION_TEXTS[operationId];
  if (own !== undefined) return own;
  const [verb = '', ...words] = (summary.split(':')[0] ?? '').split(' ');
  return VERBS[verb]?.(words.join(' '));
}

/** The names of scopes, all of which a token must have. */
const scopesIn = (scopes: readonly string[], word: string): string =>
  scopes.map((scope) => `\`${word}.${scope}\``).join(' and ');

/** Names the credentials that an authenticated operation accepts. */
function credentialsOf({ scopes }: AnyRoute, word: string): string {
  if (scopes.length === 0) return 'The request needs an API token, a session or an access token.';
  return `The request needs an API token, a session, or an access token with the scope ${scopesIn(scopes, word)}.`;
}

/** Names the permission, and what a role reaches that grants it for some resources only. */
function permissionOf({ appliesGrant, permission }: AnyRoute): string {
  if (permission === undefined) return '';
  const must = ` The caller’s roles must grant \`${permission}\``;
  if (appliesGrant !== true) return `${must} for the whole org.`;
  const own = permission === 'users.read' ? ' Users need no role for their own account.' : '';
  return `${must}, and the operation reaches only the resources for which they do.${own}`;
}

function accessOf(route: AnyRoute, word: string): string {
  if (route.access === 'public') return publicAccessOf(route.operationId).text;
  if (route.access === 'session') return 'The request needs the session cookie. No other credential is accepted.';
  if (route.access === 'optional') return optionalAccessOf(route.operationId);
  return `${credentialsOf(route, word)}${permissionOf(route)}`;
}

/** Where the address of the next page stands: in a header, or in the body of lists that have an envelope. */
const nextPageOf = ({ response }: AnyRoute): string =>
  response.schema?.['type'] === 'array'
    ? 'The answer is a page. Its `Link` header has the address of the next page.'
    : 'The answer is a page. Its `_links.next` has the address of the next page.';

/** The description of an operation: its own sentence, then the facts of its declaration. */
export function describe(route: AnyRoute, word: string): string | undefined {
  const first = textOf(route);
  if (first === undefined) return undefined;
  const { conditional, idempotent, query = {} } = route;
  const isPaged = 'after' in query;
  return [
    first,
    accessOf(route, word),
    ...(isPaged ? [nextPageOf(route)] : []),
    ...(conditional === true
      ? ['With `If-Match`, the change is made only if the resource has not changed since it was read.']
      : []),
    ...(idempotent === true ? ['With `Idempotency-Key`, a repeated request has no second effect.'] : []),
  ].join('\n\n');
}
