import { type Answer, type AnyRoute, type HandlerInput, repeatable, route } from '../../platform/http/index.ts';
import type { Pages } from '../../platform/pages/index.ts';
import { AuthorizationServerIdParams } from '../keys/contract.ts';
import { answerOf } from './answers.ts';
import { authorize } from './authorize.ts';
import { AuthorizationForm, PARAMETER_DESCRIPTIONS } from './contract.ts';
import type { AuthorizationPorts, IncomingRequest } from './known.ts';

/** For the documents: the steps read the query themselves, and refuse in the words of the protocol. */
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
  bucket: 'oauth',
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

const byForm = ({ rawQuery }: Input, form: Readonly<Record<string, string>>, server: string) => ({
  entries: Object.entries(form),
  isMixed: rawQuery.length > 0,
  interactionId: null,
  server,
});

const orgRoutes = (ports: AuthorizationRoutesPorts): AnyRoute[] => [
  route({
    ...common,
    operationId: 'authorize',
    method: 'GET',
    url: '/oauth2/v1/authorize',
    summary: 'Ask for a user to be authenticated, and for a code or tokens',
    tag: 'OrgAS',
    query: AuthorizationQuery,
    handler: (input) => answer(ports, input, byQuery(input, '')),
  }),
  route({
    ...common,
    operationId: 'authorizeWithPost',
    method: 'POST',
    url: '/oauth2/v1/authorize',
    summary: 'The same by a form',
    tag: 'OrgAS',
    body: AuthorizationForm,
    bodyType: 'form',
    handler: (input) => answer(ports, input, byForm(input, input.body, '')),
  }),
  route({
    ...common,
    operationId: 'resumeAuthorization',
    method: 'GET',
    url: '/oauth2/v1/authorize/resume',
    summary: 'Go on with an authorization request whose user has signed in or was asked',
    tag: 'OrgAS',
    query: { request: { ...repeatable('Of the request; good in the browser that brought it.') } },
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
    summary: 'Ask a custom authorization server for a user to be authenticated, and for a code or tokens',
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
    summary: 'The same by a form',
    tag: 'CustomAS',
    params: AuthorizationServerIdParams,
    body: AuthorizationForm,
    bodyType: 'form',
    handler: (input) => answer(ports, input, byForm(input, input.body, input.params.authorizationServerId)),
  }),
];

/** The authorization endpoint (RFC 6749 3.1) of the org's own server and of custom ones. */
export const authorizationRoutes = (ports: AuthorizationRoutesPorts): AnyRoute[] => [
  ...orgRoutes(ports),
  ...customRoutes(ports),
];
