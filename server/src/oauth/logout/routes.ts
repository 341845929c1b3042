import { type TObject, Type } from '@sinclair/typebox';
import type { Context } from '../../kernel/context.ts';
import { findUserById, type UserRow } from '../../management/users/index.ts';
import {
  type Answer,
  type AnyRoute,
  clearedSessionCookie,
  type HandlerInput,
  route,
  text,
} from '../../platform/http/index.ts';
import type { Pages, View } from '../../platform/pages/index.ts';
import { localeOf } from '../../sign-in/index.ts';
import type { ServerConfiguration, ServerConfigurations } from '../custom-servers/index.ts';
import { AuthorizationServerIdParams } from '../keys/contract.ts';
import { LogoutForm } from './contract.ts';
import { type LogoutRequest, readLogoutRequest } from './logout-rules.ts';
import { askPage, donePage, refusalPage, resendPage } from './pages.ts';
import { refused, type SignedOut, type SignOut, type SignOutPorts, signOut } from './sign-out.ts';

export interface LogoutRoutesPorts extends SignOutPorts {
  readonly servers: Pick<ServerConfigurations, 'find'>;
  readonly pages: Pages;
}

const fieldsOf = ({ clientId, idTokenHint, redirectUri, state }: LogoutRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      id_token_hint: idTokenHint,
      client_id: clientId,
      post_logout_redirect_uri: redirectUri,
      state,
    }).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );

function redirect(location: string, method: SignOut['method']): Answer {
  const headers = { 'Set-Cookie': clearedSessionCookie(), Location: location, 'Referrer-Policy': 'no-referrer' };
  return { status: method === 'GET' ? 302 : 303, body: null, headers };
}

function answerOf(view: View, signedOut: SignedOut, action: string, { method, request }: SignOut): Answer {
  if (signedOut.kind === 'refused') return refusalPage(view, signedOut);
  if (signedOut.kind === 'resend') return resendPage(view, { action, fields: fieldsOf(request) });
  if (signedOut.kind === 'done') {
    return signedOut.location === null ? donePage(view) : redirect(signedOut.location, method);
  }
  const fields = { ...fieldsOf({ ...signedOut.request, idTokenHint: null }), form_token: signedOut.formToken };
  return askPage(view, signedOut.login, { action, fields });
}

const common = {
  access: 'public',
  scopes: [],
  bucket: 'sessions',
  cors: false,
  errors: [],
  anyAccept: true,
  errorShape: 'page',
  response: { status: 200, schema: Type.String(), mediaType: 'text/html' },
} as const;

const query = {
  id_token_hint: text(String(LogoutForm.properties.id_token_hint.description), 16_384),
  post_logout_redirect_uri: text(String(LogoutForm.properties.post_logout_redirect_uri.description), 1_024),
  state: text(String(LogoutForm.properties.state.description)),
  client_id: text(String(LogoutForm.properties.client_id.description), 255),
  logout_hint: text(String(LogoutForm.properties.logout_hint.description)),
  ui_locales: text(String(LogoutForm.properties.ui_locales.description), 255),
};

type Parameters = Readonly<Partial<Record<string, string | undefined>>>;
type Input = Pick<HandlerInput<unknown, unknown, unknown>, 'context' | 'headers'>;

/** The logout endpoint of the org's own server or of custom servers. */
interface Place<Params> {
  readonly tag: string;
  readonly url: string;
  readonly get: string;
  readonly post: string;
  readonly summary: string;
  readonly params: TObject;
  /** Null means the org's own server. Undefined means that the server does not exist or is inactive. */
  readonly serverOf: (context: Context, params: Params) => Promise<ServerConfiguration | null | undefined>;
  readonly pathOf: (params: Params) => string;
}

function logoutRoutesAt<Params>(ports: LogoutRoutesPorts, place: Place<Params>): AnyRoute[] {
  const { params, summary, tag, url } = place;
  const answer = async (input: Input, given: Params, parameters: Parameters, method: SignOut['method']) => {
    const { context, headers } = input;
    const { ui_locales: uiLocales } = parameters;
    const rawQuery = uiLocales === undefined ? [] : ([['ui_locales', uiLocales]] as const);
    const viewOf = (user: UserRow | null) =>
      ports.pages.viewOf({ context, headers, rawQuery, userLocale: user === null ? null : localeOf(user) });
    const server = await place.serverOf(context, given);
    if (server === undefined) return refusalPage(await viewOf(null), refused('invalidAuthorizationServer'));
    const asked: SignOut = { server, request: readLogoutRequest(parameters), headers, method };
    const signedOut = await signOut(ports, context, asked);
    const user =
      signedOut.kind === 'ask' ? await findUserById(ports.sessions.db, context.orgId, signedOut.userId) : null;
    return answerOf(await viewOf(user ?? null), signedOut, place.pathOf(given), asked);
  };
  return [
    route({
      ...common,
      bucket: 'authorize',
      operationId: place.get,
      method: 'GET',
      url,
      summary,
      tag,
      params,
      query,
      writes: true,
      // The form token is accepted by POST only.
      handler: async (input) => answer(input, input.params as Params, { ...input.query, form_token: undefined }, 'GET'),
    }),
    route({
      ...common,
      operationId: place.post,
      method: 'POST',
      url,
      summary,
      tag,
      params,
      body: LogoutForm,
      bodyType: 'form',
      handler: async (input) => answer(input, input.params as Params, input.body, 'POST'),
    }),
  ];
}

export const logoutRoutes = (ports: LogoutRoutesPorts): AnyRoute[] => [
  ...logoutRoutesAt<object>(ports, {
    tag: 'OrgAS',
    url: '/oauth2/v1/logout',
    get: 'logout',
    post: 'logoutWithPost',
    summary: 'Sign the user out',
    params: Type.Object({}),
    serverOf: () => Promise.resolve(null),
    pathOf: () => '/oauth2/v1/logout',
  }),
  ...logoutRoutesAt<{ authorizationServerId: string }>(ports, {
    tag: 'CustomAS',
    url: '/oauth2/:authorizationServerId/v1/logout',
    get: 'logoutCustomAS',
    post: 'logoutCustomASWithPost',
    summary: 'Sign the user out at a custom authorization server',
    params: AuthorizationServerIdParams,
    serverOf: async ({ orgId }, { authorizationServerId: id }) => (await ports.servers.find(orgId, id)) ?? undefined,
    pathOf: ({ authorizationServerId: id }) => `/oauth2/${encodeURIComponent(id)}/v1/logout`,
  }),
];
