import {
  type Answer,
  type AnyRoute,
  type HandlerInput,
  isFromElsewhere,
  readBrowserSession,
  readFlowCookie,
  repeatable,
  route,
} from '../../platform/http/index.ts';
import type { Pages } from '../../platform/pages/index.ts';
import { AuthorizationServerIdParams } from '../keys/contract.ts';
import { answerOf, resendAnswer } from './authorization-answer.ts';
import { authorize } from './authorize.ts';
import { AuthorizationForm, PARAMETER_DESCRIPTIONS } from './contract.ts';
import { isParameter } from './requests/parameter-rules.ts';
import type { AuthorizationPorts, IncomingRequest } from './requests/request-state.ts';

/**
 * These schemas only feed the generated documents. The steps of `authorize` read the query themselves and refuse
 * invalid requests with protocol errors.
 */
const AuthorizationQuery = Object.fromEntries(
  Object.entries(PARAMETER_DESCRIPTIONS).map(([name, description]) => [
    name,
    { ...repeatable(description), parse: () => undefined },
  ]),
);

const common = {
  access: 'public',
  scopes: [],
  response: { status: 303, schema: null, mediaType: 'text/html' },
  errors: [],
  bucket: 'authorize',
  writes: true,
  cors: false,
  anyAccept: true,
  errorShape: 'page',
} as const;

type Input = Pick<HandlerInput<unknown, unknown, unknown>, 'context' | 'headers' | 'rawQuery'>;

export interface AuthorizationRoutesPorts extends AuthorizationPorts {
  readonly pages: Pages;
}

async function answer(
  ports: AuthorizationRoutesPorts,
  { context, headers }: Input,
  request: Omit<IncomingRequest, 'headers'>,
): Promise<Answer> {
  const outcome = await authorize(ports, context, { ...request, headers });
  return answerOf(outcome, () => ports.pages.viewOf({ context, headers, rawQuery: request.entries }));
}

const byQuery = ({ rawQuery }: Input, server: string) => ({
  entries: rawQuery,
  isMixed: false,
  interactionId: null,
  server,
});

const AUTHORIZE = '/oauth2/v1/authorize';

type Form = Readonly<Record<string, string>>;

/**
 * Returns whether our own page must resubmit a request that lacks our cookies, because browsers may omit the cookies
 * (SameSite=Lax) from a form on a page of another origin. Applies only to top-level pages, and never with a query, a
 * session token or a mode that ends in `post_message`.
 */
function lacksCookies({ context, headers, rawQuery }: Input, form: Form): boolean {
  if (readBrowserSession(headers) !== null || readFlowCookie(headers) !== null) return false;
  const isShown = (headers['sec-fetch-dest'] ?? 'document') === 'document';
  const { response_mode: mode = '', sessionToken } = form;
  const isPlain = rawQuery.length === 0 && sessionToken === undefined && !mode.endsWith('post_message');
  return isShown && isPlain && isFromElsewhere(headers, context.baseUrl);
}

async function answerForm(
  ports: AuthorizationRoutesPorts,
  input: Input & { readonly body: Form },
  server: string,
): Promise<Answer> {
  const { body, rawQuery } = input;
  const entries = Object.entries(body);
  if (lacksCookies(input, body)) {
    const path = server === '' ? AUTHORIZE : `/oauth2/${encodeURIComponent(server)}/v1/authorize`;
    const { context, headers } = input;
    const view = await ports.pages.viewOf({ context, headers, rawQuery: entries });
    return resendAnswer(view, path, Object.fromEntries(entries.filter(([name]) => isParameter(name))));
  }
  return answer(ports, input, { entries, isMixed: rawQuery.length > 0, interactionId: null, server });
}

const orgRoutes = (ports: AuthorizationRoutesPorts): AnyRoute[] => [
  route({
    ...common,
    operationId: 'authorize',
    method: 'GET',
    url: AUTHORIZE,
    summary: 'Request authorization',
    tag: 'OrgAS',
    query: AuthorizationQuery,
    handler: (input) => answer(ports, input, byQuery(input, '')),
  }),
  route({
    ...common,
    operationId: 'authorizeWithPost',
    method: 'POST',
    url: AUTHORIZE,
    summary: 'Request authorization with a form',
    tag: 'OrgAS',
    body: AuthorizationForm,
    bodyType: 'form',
    handler: (input) => answerForm(ports, input, ''),
  }),
  route({
    ...common,
    operationId: 'resumeAuthorization',
    method: 'GET',
    url: '/oauth2/v1/authorize/resume',
    summary: 'Continue an authorization request',
    tag: 'OrgAS',
    query: {
      request: {
        ...repeatable('The id of the authorization request, which only the browser that brought it can use.'),
      },
    },
    handler: (input) => {
      const [interactionId = ''] = input.query.request;
      return answer(ports, input, { entries: [], isMixed: false, interactionId, server: '' });
    },
  }),
];

const customRoutes = (ports: AuthorizationRoutesPorts): AnyRoute[] => [
  route({
    ...common,
    operationId: 'authorizeCustomAS',
    method: 'GET',
    url: '/oauth2/:authorizationServerId/v1/authorize',
    summary: 'Request authorization from a custom authorization server',
    tag: 'CustomAS',
    params: AuthorizationServerIdParams,
    query: AuthorizationQuery,
    handler: (input) => answer(ports, input, byQuery(input, input.params.authorizationServerId)),
  }),
  route({
    ...common,
    operationId: 'authorizeCustomASWithPost',
    method: 'POST',
    url: '/oauth2/:authorizationServerId/v1/authorize',
    summary: 'Request authorization from a custom authorization server with a form',
    tag: 'CustomAS',
    params: AuthorizationServerIdParams,
    body: AuthorizationForm,
    bodyType: 'form',
    handler: (input) => answerForm(ports, input, input.params.authorizationServerId),
  }),
];

export const authorizationRoutes = (ports: AuthorizationRoutesPorts): AnyRoute[] => [
  ...orgRoutes(ports),
  ...customRoutes(ports),
];
