import { Type } from '@sinclair/typebox';
import { findLogosOfClients, logoAddress } from '../../management/apps/index.ts';
import { readServerScopes, SYSTEM_SCOPES } from '../../management/authorization-servers/index.ts';
import { type Answer, readFlowCookies } from '../../platform/http/index.ts';
import { seeOther } from '../../platform/pages/index.ts';
import {
  type AccountPorts,
  FormToken,
  openVisit,
  type PageRequest,
  refuseForeignForm,
  signInAddress,
  tokenField,
  type Visit,
  type Visitor,
  visitorOf,
} from '../../sign-in/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { PolledKind } from '../polled-requests/index.ts';
import { answerPolledRequest, type PolledOutcome } from './answer-polled-request.ts';
import {
  ALLOWED_BY_PARAMETER,
  type FindPolledQuestionPorts,
  findPolledQuestion,
  isFor,
  type PolledQuestion,
} from './find-polled-question.ts';
import { QUESTION_KINDS } from './question-kinds.ts';
import { confirmPage, overPage, refusedPage, type ToldScope } from './question-pages.ts';

export interface PolledQuestionPorts extends AccountPorts, FindPolledQuestionPorts {
  readonly work: Work;
}

const confirmAddress = (kind: PolledKind, requestId: string): string =>
  `${QUESTION_KINDS[kind].confirm}?${new URLSearchParams({ request: requestId })}`;

/** The form is good for whom it was shown to. */
const purposeOf = (kind: PolledKind, requestId: string, { user }: Visitor): string =>
  `${QUESTION_KINDS[kind].words} ${requestId} ${user.id}`;

/** Returns the signed-in user, or a redirect to the sign-in page, which leads back. */
export async function openSignedIn(
  ports: AccountPorts,
  request: PageRequest,
  path: string,
): Promise<{ readonly visit: Visit; readonly visitor: Visitor } | Answer> {
  const visitor = await visitorOf(ports, request);
  if (visitor === null) return seeOther(signInAddress(path));
  return { visitor, visit: await openVisit(ports, request, visitor) };
}

async function toldScopes(
  { db }: PolledQuestionPorts,
  { context: { orgId } }: Visit,
  { polled, server }: PolledQuestion,
): Promise<ToldScope[]> {
  const known: readonly ToldScope[] =
    server === null ? SYSTEM_SCOPES : await readServerScopes(db, orgId, server.facts.id);
  return polled.scopes.map((name) => {
    const { description = null, displayName = null } = known.find((scope) => scope.name === name) ?? {};
    return { name, displayName, description };
  });
}

async function ask(
  ports: PolledQuestionPorts,
  visit: Visit,
  visitor: Visitor,
  question: PolledQuestion,
): Promise<Answer> {
  const { client, polled, requestId } = question;
  const { baseUrl, orgId } = visit.context;
  const [logos, scopes] = await Promise.all([
    findLogosOfClients(ports.db, orgId, [client.clientId]),
    toldScopes(ports, visit, question),
  ]);
  return confirmPage(visit.view, polled.kind, {
    appLabel: client.label,
    logoAddress: logoAddress(logos.get(client.clientId) ?? null, baseUrl).href,
    login: visitor.user.login,
    token: tokenField(ports, visit, purposeOf(polled.kind, requestId, visitor)),
    requestId,
    bindingMessage: polled.bindingMessage,
    scopes,
  });
}

function answerOf({ view }: Visit, kind: PolledKind, requestId: string, outcome: PolledOutcome): Answer {
  if (outcome === 'over') return overPage(view, kind);
  if (outcome === 'signIn') return seeOther(signInAddress(confirmAddress(kind, requestId), { reauthenticate: 'true' }));
  if (outcome === 'consent') return seeOther(`/consent?${new URLSearchParams({ request: requestId })}`);
  if (outcome === 'allowed' || outcome === 'denied') return seeOther(`${QUESTION_KINDS[kind].enter}?done=${outcome}`);
  return refusedPage(view, kind, outcome);
}

async function openQuestion(ports: PolledQuestionPorts, request: PageRequest, kind: PolledKind, requestId: string) {
  const opened = await openSignedIn(ports, request, confirmAddress(kind, requestId));
  if ('status' in opened) return opened;
  const { visit, visitor } = opened;
  const flowValues = readFlowCookies(visit.headers);
  const question = await findPolledQuestion(ports, visit.context, kind, requestId, flowValues);
  if (question === undefined || !isFor(question.polled, visitor.user.id)) return overPage(visit.view, kind);
  return { visit, visitor, question };
}

/** Asks; whoever has allowed it, and was asked for consent since, has answered already. */
export async function showQuestion(
  ports: PolledQuestionPorts,
  request: PageRequest,
  kind: PolledKind,
  requestId: string,
): Promise<Answer> {
  const opened = await openQuestion(ports, request, kind, requestId);
  if ('status' in opened) return opened;
  const { question, visit, visitor } = opened;
  const allowedBy = question.interaction.parameters[ALLOWED_BY_PARAMETER];
  if (allowedBy !== visitor.user.id) return ask(ports, visit, visitor, question);
  return answerOf(visit, kind, requestId, await answerPolledRequest(ports, visit.context, question, visitor, true));
}

/** The form of the confirmation page. */
export const QuestionForm = Type.Object({
  formToken: FormToken,
  request: Type.Optional(Type.String({ maxLength: 100, description: 'Which question it is.' })),
  decision: Type.Optional(Type.Union([Type.Literal('allow'), Type.Literal('deny')])),
});

export interface SentAnswer {
  readonly formToken?: string;
  readonly request?: string;
  readonly decision?: 'allow' | 'deny';
}

/** Takes the answer of a form of ours that was shown to this user in this browser. */
export async function sendAnswer(
  ports: PolledQuestionPorts,
  request: PageRequest,
  kind: PolledKind,
  { decision, formToken: token, request: requestId = '' }: SentAnswer,
): Promise<Answer> {
  const opened = await openQuestion(ports, request, kind, requestId);
  if ('status' in opened) return opened;
  const { question, visit, visitor } = opened;
  const purpose = purposeOf(kind, requestId, visitor);
  const foreign = refuseForeignForm(ports, visit, { purpose, token, again: confirmAddress(kind, requestId) });
  if (foreign !== null) return foreign;
  if (decision === undefined) return ask(ports, visit, visitor, question);
  const outcome = await answerPolledRequest(ports, visit.context, question, visitor, decision === 'allow');
  return answerOf(visit, kind, requestId, outcome);
}
