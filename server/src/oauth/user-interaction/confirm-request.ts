import { Type } from '@sinclair/typebox';
import { findLogosOfClients, logoAddress } from '../../management/apps/index.ts';
import { readServerScopes, SYSTEM_SCOPES } from '../../management/authorization-servers/index.ts';
import { type Answer, readFlowCookies } from '../../platform/http/index.ts';
import { seeOther } from '../../platform/pages/index.ts';
import {
  type AccountPorts,
  FormToken,
  findSignedInUser,
  openPageSession,
  type PageRequest,
  type PageSession,
  refuseForeignForm,
  type SignedInUser,
  signInAddress,
  tokenField,
} from '../../sign-in/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { PendingAuthorizationKind } from '../pending-authorizations/index.ts';
import { type AnswerOutcome, answerPendingAuthorization } from './answer-pending-authorization.ts';
import { confirmPage, overPage, refusedPage, type ShownScope } from './confirmation-pages.ts';
import {
  ALLOWED_BY_PARAMETER,
  type FindUserInteractionPorts,
  findUserInteraction,
  isFor,
  type UserInteraction,
} from './find-user-interaction.ts';
import { POLLING_FLOWS } from './polling-flows.ts';

export interface UserInteractionPorts extends AccountPorts, FindUserInteractionPorts {
  readonly work: Work;
}

const confirmAddress = (kind: PendingAuthorizationKind, requestId: string): string =>
  `${POLLING_FLOWS[kind].confirm}?${new URLSearchParams({ request: requestId })}`;

/** Returns the purpose of the form token. It names the request and the user, so the token is valid only for them. */
const purposeOf = (kind: PendingAuthorizationKind, requestId: string, { user }: SignedInUser): string =>
  `${POLLING_FLOWS[kind].words} ${requestId} ${user.id}`;

/** Returns the signed-in user, or a redirect to the sign-in page, which leads back to `path`. */
export async function openSignedIn(
  ports: AccountPorts,
  request: PageRequest,
  path: string,
): Promise<{ readonly pageSession: PageSession; readonly signedIn: SignedInUser } | Answer> {
  const signedIn = await findSignedInUser(ports, request);
  if (signedIn === null) return seeOther(signInAddress(path));
  return { signedIn, pageSession: await openPageSession(ports, request, signedIn) };
}

async function shownScopes(
  { db }: UserInteractionPorts,
  { context: { orgId } }: PageSession,
  { pending, server }: UserInteraction,
): Promise<ShownScope[]> {
  const known: readonly ShownScope[] =
    server === null ? SYSTEM_SCOPES : await readServerScopes(db, orgId, server.facts.id);
  return pending.scopes.map((name) => {
    const { description = null, displayName = null } = known.find((scope) => scope.name === name) ?? {};
    return { name, displayName, description };
  });
}

async function ask(
  ports: UserInteractionPorts,
  pageSession: PageSession,
  signedIn: SignedInUser,
  question: UserInteraction,
): Promise<Answer> {
  const { client, pending, requestId } = question;
  const { baseUrl, orgId } = pageSession.context;
  const [logos, scopes] = await Promise.all([
    findLogosOfClients(ports.db, orgId, [client.clientId]),
    shownScopes(ports, pageSession, question),
  ]);
  return confirmPage(pageSession.view, pending.kind, {
    appLabel: client.label,
    logoAddress: logoAddress(logos.get(client.clientId) ?? null, baseUrl).href,
    login: signedIn.user.login,
    token: tokenField(ports, pageSession, purposeOf(pending.kind, requestId, signedIn)),
    requestId,
    bindingMessage: pending.bindingMessage,
    scopes,
  });
}

function answerOf(
  { view }: PageSession,
  kind: PendingAuthorizationKind,
  requestId: string,
  outcome: AnswerOutcome,
): Answer {
  if (outcome === 'over') return overPage(view, kind);
  if (outcome === 'signIn') return seeOther(signInAddress(confirmAddress(kind, requestId), { reauthenticate: 'true' }));
  if (outcome === 'consent') return seeOther(`/consent?${new URLSearchParams({ request: requestId })}`);
  if (outcome === 'allowed' || outcome === 'denied') return seeOther(`${POLLING_FLOWS[kind].enter}?done=${outcome}`);
  return refusedPage(view, kind, outcome);
}

async function openQuestion(
  ports: UserInteractionPorts,
  request: PageRequest,
  kind: PendingAuthorizationKind,
  requestId: string,
) {
  const opened = await openSignedIn(ports, request, confirmAddress(kind, requestId));
  if ('status' in opened) return opened;
  const { pageSession, signedIn } = opened;
  const flowValues = readFlowCookies(pageSession.headers);
  const question = await findUserInteraction(ports, pageSession.context, kind, requestId, flowValues);
  if (question === undefined || !isFor(question.pending, signedIn.user.id)) return overPage(pageSession.view, kind);
  return { pageSession, signedIn, question };
}

/**
 * Asks the user to confirm the request. If this user has already allowed it, for example before giving consent,
 * continues with that answer.
 */
export async function showQuestion(
  ports: UserInteractionPorts,
  request: PageRequest,
  kind: PendingAuthorizationKind,
  requestId: string,
): Promise<Answer> {
  const opened = await openQuestion(ports, request, kind, requestId);
  if ('status' in opened) return opened;
  const { question, pageSession, signedIn } = opened;
  const allowedBy = question.interaction.parameters[ALLOWED_BY_PARAMETER];
  if (allowedBy !== signedIn.user.id) return ask(ports, pageSession, signedIn, question);
  return answerOf(
    pageSession,
    kind,
    requestId,
    await answerPendingAuthorization(ports, pageSession.context, question, signedIn, true),
  );
}

export const QuestionForm = Type.Object({
  formToken: FormToken,
  request: Type.Optional(
    Type.String({ maxLength: 100, description: 'The id of the request that is allowed or denied.' }),
  ),
  decision: Type.Optional(Type.Union([Type.Literal('allow'), Type.Literal('deny')])),
});

export interface SentAnswer {
  readonly formToken?: string;
  readonly request?: string;
  readonly decision?: 'allow' | 'deny';
}

export async function submitAnswer(
  ports: UserInteractionPorts,
  request: PageRequest,
  kind: PendingAuthorizationKind,
  { decision, formToken: token, request: requestId = '' }: SentAnswer,
): Promise<Answer> {
  const opened = await openQuestion(ports, request, kind, requestId);
  if ('status' in opened) return opened;
  const { question, pageSession, signedIn } = opened;
  const purpose = purposeOf(kind, requestId, signedIn);
  const foreign = refuseForeignForm(ports, pageSession, { purpose, token, again: confirmAddress(kind, requestId) });
  if (foreign !== null) return foreign;
  if (decision === undefined) return ask(ports, pageSession, signedIn, question);
  const outcome = await answerPendingAuthorization(
    ports,
    pageSession.context,
    question,
    signedIn,
    decision === 'allow',
  );
  return answerOf(pageSession, kind, requestId, outcome);
}
