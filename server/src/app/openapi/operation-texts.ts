import type { AnyRoute } from '../../platform/http/index.ts';
import { DIRECTORY_OPERATIONS, ROLE_TARGET_OPERATIONS } from './texts/directory-operations.ts';
import { MANAGEMENT_OPERATIONS } from './texts/management-operations.ts';
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

/** Returns the first sentence about an operation; undefined if neither `OPERATION_TEXTS` nor `VERBS` has one. */
export function textOf({ operationId, summary }: AnyRoute): string | undefined {
  const own = OPERATION_TEXTS[operationId];
  if (own !== undefined) return own;
  const [verb = '', ...words] = (summary.split(':')[0] ?? '').split(' ');
  return VERBS[verb]?.(words.join(' '));
}

const ACCESS: Readonly<Record<AnyRoute['access'], string>> = {
  public: 'No credential is asked for.',
  authenticated: 'A credential is needed.',
  optional: 'A credential is optional, but one that is sent must be valid.',
  session: 'The session cookie is needed, and nothing else is accepted.',
};

function accessOf({ access, permission, scopes }: AnyRoute, word: string): string {
  const named = scopes.map((scope) => `\`${word}.${scope}\``).join(' or ');
  const scope = named === '' ? '' : ` An OAuth access token needs the scope ${named}.`;
  const role = permission === undefined ? '' : ` The roles of the caller have to grant \`${permission}\`.`;
  return `${ACCESS[access]}${scope}${role}`;
}

/** Describes an operation: first its own sentence, then the facts from its declaration. */
export function describe(route: AnyRoute, word: string): string | undefined {
  const first = textOf(route);
  if (first === undefined) return undefined;
  const { conditional, idempotent, query = {} } = route;
  const isPaged = 'after' in query;
  return [
    first,
    accessOf(route, word),
    ...(isPaged ? ['The answer comes in pages: its `Link` header leads to the next one.'] : []),
    ...(conditional === true
      ? ['With `If-Match`, the change is made only if the resource is still as it was read.']
      : []),
    ...(idempotent === true ? ['With `Idempotency-Key`, sending the request again does not repeat its effect.'] : []),
  ].join('\n\n');
}
