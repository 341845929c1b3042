import { randomBytes } from 'node:crypto';
import type { Context } from '../../kernel/context.ts';
import { OAUTH_ERRORS } from '../../kernel/errors/oauth-errors.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import { flowCookies, newFlowCookie, readFlowCookie } from '../../platform/http/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { Record } from '../../system-log/index.ts';
import { insertInteraction, takeRequest } from '../interactions/index.ts';
import { appSignOnDenied, refusedEvent } from './events.ts';
import { type Issued, issue, signAnswer } from './issue.ts';
import { kept, type Parameters, type Refusal } from './requests/parameter-rules.ts';
import {
  type AuthorizationPorts,
  found,
  type Halt,
  type IncomingRequest,
  isHalt,
  type RequestState,
} from './requests/request-state.ts';
import { holdsTokens, modeOfErrors, type ResponseMode } from './response-rules.ts';
import { ClientChanged } from './steps/issue-steps.ts';
import { AUTHORIZATION_STEPS, type IssueStep, isRequestStep, type RequestStep } from './steps/steps.ts';

export type AuthorizationOutcome = { readonly cookies: readonly string[] } & (
  | { readonly to: 'page'; readonly refusal: Refusal }
  | {
      readonly to: 'client';
      readonly redirectUri: string;
      readonly mode: ResponseMode;
      readonly parameters: Parameters;
    }
  /** Sends the browser to one of our own pages. `location` is a path with its query. */
  | { readonly to: 'ownPage'; readonly location: string }
);

/** The maximum time for which a request waits for its user's sign-in and consent. */
const INTERACTION_LIFETIME_MILLISECONDS = 60 * 60_000;

const isIssueStep = (step: RequestStep | IssueStep): step is IssueStep => step.within === 'transaction';
const REQUEST_STEPS = AUTHORIZATION_STEPS.filter(isRequestStep);
const ISSUE_STEPS = AUTHORIZATION_STEPS.filter(isIssueStep);

export const issuerOf = ({ baseUrl }: Context, { server }: Pick<RequestState, 'server'>): string =>
  baseUrl + (server?.facts.issuerPath ?? '');

/** Adds `state` and `iss`, by which the client recognizes its request and the server (RFC 6749 4.1.2, RFC 9207). */
function toClient(context: Context, known: RequestState, answer: Parameters): AuthorizationOutcome {
  const { cookies, mode, parameters } = known;
  const { state } = parameters;
  return {
    to: 'client',
    cookies,
    redirectUri: found(known, 'redirectUri'),
    mode: mode ?? modeOfErrors(parameters, context.namespace),
    parameters: { ...answer, ...(state === undefined ? {} : { state }), iss: issuerOf(context, known) },
  };
}

function refused(
  context: Context,
  known: RequestState,
  { errorsGoTo }: Pick<RequestStep, 'errorsGoTo'>,
  refusal: Refusal,
): AuthorizationOutcome {
  if (errorsGoTo === 'page') return { to: 'page', cookies: known.cookies, refusal };
  const { description, error } = OAUTH_ERRORS[refusal.refused];
  return toClient(context, known, { error, error_description: refusal.description ?? description });
}

/** Stores the request while its user signs in or consents. A request that is already stored keeps its id. */
async function askUser(
  tx: Tx,
  { now, orgId }: Context,
  known: RequestState,
  halt: Exclude<Halt, Refusal>,
): Promise<AuthorizationOutcome> {
  const { parameters, request, server } = known;
  const id = request.interactionId ?? randomBytes(32).toString('base64url');
  const cookies = [...known.cookies];
  if (request.interactionId === null) {
    const cookie = readFlowCookie(request.headers);
    const flowValue = cookie ?? newFlowCookie();
    if (cookie === null) cookies.push(...flowCookies(flowValue));
    const stored = {
      hash: hashSecret(id),
      clientId: found(known, 'client').clientId,
      serverId: server?.facts.id ?? '',
      parameters: kept(parameters),
      createdAt: now,
      expiresAt: new Date(now.getTime() + INTERACTION_LIFETIME_MILLISECONDS),
    };
    await insertInteraction(tx, orgId, stored, flowValue);
  }
  const { login_hint: hint, ui_locales: uiLocales } = parameters;
  const languages = uiLocales === undefined ? {} : { ui_locales: uiLocales };
  if (halt.asks === 'consent') {
    const query = new URLSearchParams({ request: id, ...languages });
    return { to: 'ownPage', cookies, location: `/consent?${query.toString()}` };
  }
  const query = new URLSearchParams({ fromURI: `/oauth2/v1/authorize/resume?request=${id}`, ...languages });
  if (hint !== undefined) query.set('login_hint', hint);
  if (halt.reauthenticate) query.set('reauthenticate', 'true');
  return { to: 'ownPage', cookies, location: `/signin?${query.toString()}` };
}

type Concluded = AuthorizationOutcome | { readonly known: RequestState; readonly issued: Issued };

/**
 * Runs the last steps, which may still refuse the request or ask the user to act. If no step does, issues the code and
 * the ids of the tokens, with their events, in the same transaction.
 */
async function conclude(ports: AuthorizationPorts, context: Context, asked: RequestState): Promise<Concluded> {
  const isSigned = holdsTokens(found(asked, 'parts'));
  const signer = isSigned ? await ports.accessTokens.signer(context.orgId, asked.server?.facts.id) : null;
  const isWritten = ports.refusals.isWritten(context, found(asked, 'client'));
  const refuse = async (tx: Tx, record: Record, known: RequestState, step: IssueStep, refusal: Refusal) => {
    if (known.interaction !== undefined) await takeRequest(tx, context.orgId, known.interaction.hash);
    if (!isWritten()) return refused(context, known, step, refusal);
    const { client, session } = known;
    const { app } = refusal;
    if (app !== undefined && client !== undefined && session !== undefined) {
      record(appSignOnDenied(client, app, session));
    }
    record(refusedEvent(known, refusal.refused));
    return refused(context, known, step, refusal);
  };
  return ports.work(context, async (tx, record): Promise<Concluded> => {
    let known = asked;
    for (const step of ISSUE_STEPS) {
      const result = await step.run(known, { ports, context, tx });
      if (!isHalt(result)) known = { ...known, ...result };
      else if ('refused' in result) return refuse(tx, record, known, step, result);
      else return askUser(tx, context, known, result);
    }
    return { known, issued: await issue(tx, context, known, record, signer) };
  });
}

async function understand(
  ports: AuthorizationPorts,
  context: Context,
  begun: RequestState,
): Promise<AuthorizationOutcome | { readonly known: RequestState }> {
  let known = begun;
  for (const step of REQUEST_STEPS) {
    const result = await step.run(known, { ports, context });
    if (!isHalt(result)) {
      known = { ...known, ...result };
      continue;
    }
    if (!('refused' in result)) throw new Error(`${step.name} asks for the user before there is a transaction`);
    const { client } = known;
    if (client !== undefined && ports.refusals.isWritten(context, client)()) {
      const event = refusedEvent(known, result.refused);
      await ports.work(context, async (_tx, record) => record(event));
    }
    return refused(context, known, step, result);
  }
  return { known };
}

/**
 * Handles an authorization request (RFC 6749 3.1, OpenID Connect Core 3.1.2). Errors are shown on a page until the
 * redirect URI is verified, and sent to the client after that.
 */
export async function authorize(
  ports: AuthorizationPorts,
  context: Context,
  request: IncomingRequest,
): Promise<AuthorizationOutcome> {
  let begun: RequestState = { request, parameters: {}, server: null, cookies: [] };
  for (const isLast of [false, true]) {
    const understood = await understand(ports, context, begun);
    if ('to' in understood) return understood;
    const { known } = understood;
    const concluded = await conclude(ports, context, known).catch((error: unknown) => {
      if (error instanceof ClientChanged) return null;
      throw error;
    });
    if (concluded !== null && 'to' in concluded) return concluded;
    if (concluded !== null) {
      return toClient(context, concluded.known, await signAnswer(context, concluded.known, concluded.issued));
    }
    if (isLast) return refused(context, known, { errorsGoTo: 'client' }, { refused: 'temporarilyUnavailable' });
    // The client has changed. The second attempt uses the session that the first one may have opened.
    const { cookies, sessionId } = known;
    begun = { ...begun, cookies, ...(sessionId === undefined ? {} : { sessionId }) };
  }
  throw new Error('a request was neither answered nor refused');
}
