import { createHash } from 'node:crypto';
import type { Actor, Context } from '../../kernel/context.ts';
import { OAUTH_ERRORS, type OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';
import type { AuthorizingClient } from '../../management/apps/index.ts';
import { authorizationServerTarget } from '../../management/authorization-servers/index.ts';
import type { AuthorizingSession } from '../../sign-in/index.ts';
import type { JsonObject, NewEvent, Target } from '../../system-log/index.ts';
import type { ServerConfiguration } from '../custom-servers/index.ts';
import type { AppDenied } from './requests/parameter-rules.ts';
import { found, type RequestState } from './requests/request-state.ts';

type Server = ServerConfiguration | null;

type EventClient = Pick<AuthorizingClient, 'appId' | 'clientId' | 'label'>;

const clientTarget = ({ clientId, label }: EventClient): Target => ({
  id: clientId,
  type: 'PublicClientApp',
  alternateId: clientId,
  displayName: label,
});

const serverTargets = (server: Server): Target[] =>
  server === null ? [] : [authorizationServerTarget({ id: server.facts.id, name: server.facts.name })];

const actorOf = ({ displayName, login, userId }: AuthorizingSession): Actor => ({
  id: userId,
  type: 'User',
  alternateId: login,
  displayName,
});

const byUser = (session: AuthorizingSession | undefined): Pick<NewEvent, 'actor' | 'authentication'> =>
  session === undefined
    ? {}
    : {
        actor: actorOf(session),
        authentication: { externalSessionId: session.externalId, rootSessionId: session.rootExternalId },
      };

/** Returns the parameters that the log shows. None of these parameters is secret. */
function requested({ parameters }: RequestState): Record<string, string> {
  const told: Readonly<Record<string, string | undefined>> = {
    requestedScopes: parameters['scope'],
    responseType: parameters['response_type'],
    responseMode: parameters['response_mode'],
    prompt: parameters['prompt'],
    redirectUri: parameters['redirect_uri'],
  };
  const given = Object.entries(told).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return Object.fromEntries(given.map(([name, value]) => [name, value.slice(0, 1_024)]));
}

const nameHash = (id: string): string => createHash('sha256').update(id).digest('base64url');

export interface IssuedTokenFacts {
  readonly type: 'access_token' | 'id_token';
  readonly jti: string;
  readonly expiresAt: Date;
  readonly claims: JsonObject;
}

const TOKEN_NAMES = { access_token: 'Access Token', id_token: 'ID Token' } as const;

/** Specification section 6 puts the minted token into the event, without the string that is the credential. */
const tokenTarget = ({ claims, expiresAt, jti, type }: IssuedTokenFacts): Target => ({
  id: jti,
  type,
  displayName: TOKEN_NAMES[type],
  detailEntry: { expires: expiresAt.toISOString(), hash: nameHash(jti), claims },
});

const TYPES = {
  org: {
    requested: 'app.oauth2.authorize',
    code: 'app.oauth2.authorize.code',
    refused: 'app.oauth2.authorize_failure',
    scopesRefused: 'app.oauth2.authorize_failure',
    answered: 'app.oauth2.authorize.implicit_success',
    minted: 'app.oauth2.authorize.implicit',
    access_token: 'app.oauth2.authorize.implicit.access_token',
    id_token: 'app.oauth2.authorize.implicit.id_token',
  },
  custom: {
    requested: 'app.oauth2.as.authorize',
    code: 'app.oauth2.as.authorize.code',
    refused: 'app.oauth2.as.authorize_failure',
    scopesRefused: 'app.oauth2.as.authorize.scope_denied_failure',
    answered: 'app.oauth2.as.authorize.implicit_success',
    minted: 'app.oauth2.as.authorize.implicit',
    access_token: 'app.oauth2.as.authorize.implicit.access_token',
    id_token: 'app.oauth2.as.authorize.implicit.id_token',
  },
} as const;

const typesOf = (server: Server) => TYPES[server === null ? 'org' : 'custom'];

/** The org chooses between the event names of the specification and those of the current catalogue. */
function implicitEvents(
  { eventNames }: Context,
  server: Server,
  common: Omit<NewEvent, 'eventType' | 'target'>,
  targets: readonly Target[],
  tokens: readonly IssuedTokenFacts[],
): NewEvent[] {
  const types = typesOf(server);
  const withTokens = (some: readonly IssuedTokenFacts[]) => [
    ...targets,
    ...some.map(tokenTarget),
    ...serverTargets(server),
  ];
  if (eventNames === 'current') {
    return tokens.map((token) => ({ ...common, eventType: types[token.type], target: withTokens([token]) }));
  }
  return [
    { ...common, eventType: types.answered, target: withTokens([]) },
    { ...common, eventType: types.minted, target: withTokens(tokens) },
  ];
}

export const appSignOnDeniedEvent = (
  { appId, label }: EventClient,
  { policyId, policyName, reason, ruleId, ruleName }: AppDenied,
  by: Pick<NewEvent, 'actor' | 'authentication'>,
  user: Target | null,
): NewEvent => ({
  eventType: 'policy.evaluate_sign_on',
  ...by,
  outcome: { result: 'DENY', ...(reason === null ? {} : { reason }) },
  target: [
    ...(user === null ? [] : [user]),
    { id: appId, type: 'AppInstance', alternateId: label, displayName: label },
    { id: policyId, type: 'Policy', displayName: policyName },
    { id: ruleId, type: 'Rule', displayName: ruleName },
  ],
});

export const appSignOnDenied = (client: EventClient, decision: AppDenied, session: AuthorizingSession): NewEvent =>
  appSignOnDeniedEvent(client, decision, byUser(session), { ...actorOf(session) });

export const signedOnEvent = (session: AuthorizingSession, { appId, label }: EventClient): NewEvent => ({
  eventType: 'user.authentication.sso',
  ...byUser(session),
  target: [{ ...actorOf(session) }, { id: appId, type: 'AppInstance', alternateId: label, displayName: label }],
});

/** A null `codeHash` means that no code was issued. */
export function issuedEvents(
  context: Context,
  known: RequestState,
  issued: { readonly codeHash: Buffer | null; readonly tokens: readonly IssuedTokenFacts[] },
): NewEvent[] {
  const client = found(known, 'client');
  const session = found(known, 'session');
  const { decisions, server } = known;
  const user: Target = { ...actorOf(session) };
  const common = {
    ...byUser(session),
    debugData: {
      ...requested(known),
      ...(decisions?.code ?? decisions?.tokens)?.debugData,
      grantedScopes: found(known, 'scopes').join(' '),
    },
  };
  const targets = [clientTarget(client), user];
  const { codeHash, tokens } = issued;
  const code = codeHash === null ? [] : [codeHash.toString('base64url')];
  return [
    signedOnEvent(session, client),
    ...code.map(
      (id): NewEvent => ({
        ...common,
        eventType: typesOf(server).code,
        target: [...targets, { id, type: 'code', displayName: 'Authorization Code' }, ...serverTargets(server)],
      }),
    ),
    ...(tokens.length === 0 ? [] : implicitEvents(context, server, common, targets, tokens)),
  ];
}

interface RequestParties {
  readonly client: EventClient;
  readonly server: Server;
}

/** Returns the event for a client's request to a user on another device (CIBA Core 7). */
export const requestedEvent = (
  { client, server }: RequestParties,
  user: Target,
  debugData: Readonly<Record<string, string>>,
): NewEvent => ({
  eventType: typesOf(server).requested,
  target: [clientTarget(client), user, ...serverTargets(server)],
  debugData,
});

/** `session` is the session of the request's user, if there is one. */
export const refusedRequestEvent = (
  code: OAuthErrorCode,
  about: RequestParties & { readonly session: AuthorizingSession | undefined },
  debugData: Readonly<Record<string, string>>,
): NewEvent => ({
  eventType: code === 'noMatchingPolicy' ? typesOf(about.server).scopesRefused : typesOf(about.server).refused,
  outcome: { result: 'FAILURE', reason: OAUTH_ERRORS[code].internalCode },
  ...byUser(about.session),
  target: [clientTarget(about.client), ...serverTargets(about.server)],
  debugData,
});

export const refusedEvent = (known: RequestState, code: OAuthErrorCode): NewEvent =>
  refusedRequestEvent(
    code,
    { client: found(known, 'client'), server: known.server, session: known.session },
    requested(known),
  );
