import type { AnyRoute } from '../../platform/http/index.ts';
import { DIRECTORY_OPERATIONS, ROLE_TARGET_OPERATIONS } from './texts/operations/directory-operations.ts';
import { LIST_OPERATIONS } from './texts/operations/list-operations.ts';
import { MANAGEMENT_OPERATIONS } from './texts/operations/management-operations.ts';
import { narrowerAccessOf, optionalAccessOf, publicAccessOf } from './texts/operations/public-access.ts';
import { PAGE_OPERATIONS, SIGN_IN_OPERATIONS } from './texts/operations/sign-in-operations.ts';

export const OPERATION_TEXTS: Readonly<Record<string, string>> = {
  ...DIRECTORY_OPERATIONS,
  ...LIST_OPERATIONS,
  ...ROLE_TARGET_OPERATIONS,
  ...MANAGEMENT_OPERATIONS,
  ...SIGN_IN_OPERATIONS,
  ...PAGE_OPERATIONS,
};

/** Sentences for operations without a text of their own, by the verb with which their summary starts. */
const VERBS: Readonly<Record<string, string>> = {
  Activate: 'The status becomes `ACTIVE`.',
  Deactivate: 'The status becomes `INACTIVE`.',
};

export function textOf({ operationId, summary }: AnyRoute): string | undefined {
  const [verb = ''] = summary.split(' ');
  return OPERATION_TEXTS[operationId] ?? VERBS[verb];
}

const scopesIn = (scopes: readonly string[], word: string): string =>
  scopes.map((scope) => `\`${word}.${scope}\``).join(' and ');

function credentialsOf({ scopes }: AnyRoute, word: string): string {
  if (scopes.length === 0) return 'The request needs an API token, a session or an access token.';
  return `The request needs an API token, a session, or an access token with the scope ${scopesIn(scopes, word)}.`;
}

function permissionOf({ appliesGrant, permission }: AnyRoute): string {
  if (permission === undefined) return '';
  const must = ` The caller’s roles must grant \`${permission}\``;
  if (appliesGrant !== true) return `${must} for the whole org.`;
  const own = permission === 'users.read' ? ' Users need no role for their own account.' : '';
  return `${must}. The operation is limited to the resources for which they grant it.${own}`;
}

function accessOf(route: AnyRoute, word: string): string {
  if (route.access === 'public') return publicAccessOf(route.operationId).text;
  if (route.access === 'session') return 'The request needs the session cookie. No other credential is accepted.';
  if (route.access === 'optional') return optionalAccessOf(route.operationId);
  return narrowerAccessOf(route.operationId)?.text ?? `${credentialsOf(route, word)}${permissionOf(route)}`;
}

const nextPageOf = ({ response }: AnyRoute): string =>
  response.schema?.['type'] === 'array'
    ? 'The response is one page of the list. Its `Link` header contains the address of the next page.'
    : 'The response is one page of the list. Its `_links.next` contains the address of the next page.';

export function describe(route: AnyRoute, word: string): string {
  const { conditional, idempotent, query = {} } = route;
  const first = textOf(route);
  const isPaged = 'after' in query;
  return [
    ...(first === undefined ? [] : [first]),
    accessOf(route, word),
    ...(isPaged ? [nextPageOf(route)] : []),
    ...(conditional === true
      ? ['With `If-Match`, the change is made only if the resource has not changed since it was read.']
      : []),
    ...(idempotent === true ? ['With `Idempotency-Key`, a repeated request has no second effect.'] : []),
  ].join('\n\n');
}
