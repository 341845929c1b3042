import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { ApiError } from '../../kernel/errors.ts';
import { findLogosOf, lockLiveClient, logoAddress } from '../../management/apps/index.ts';
import { readServerScopes, SYSTEM_SCOPES } from '../../management/authorization-servers/index.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import { type Answer, type AnyRoute, choice, readFlowCookies, route, text } from '../../platform/http/index.ts';
import { problemPage, seeOther } from '../../platform/pages/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import {
  type AccountPorts,
  admitDeviceCode,
  FormToken,
  openVisit,
  type PageRequest,
  refuseForeignForm,
  SENT,
  SHOWN,
  signInAddress,
  tokenField,
  UI_LOCALES_FIELD,
  type Visit,
  type Visitor,
  visitorOf,
} from '../../sign-in/index.ts';
import type { Work } from '../../system-log/index.ts';
import { insertInteraction } from '../interactions/index.ts';
import { findByUserCode } from '../polled-requests/index.ts';
import { answerDevice, type DeviceOutcome } from './answer-device.ts';
import {
  ALLOWED_BY_PARAMETER,
  type DeviceQuestion,
  type FindDeviceQuestionPorts,
  findDeviceQuestion,
  POLLED_PARAMETER,
} from './find-device-question.ts';
import { confirmPage, donePage, entryPage, overPage, PATHS, refusedPage, type ToldScope } from './pages.ts';
import { hashOfUserCode, readUserCode, USER_CODE_LETTERS } from './user-codes.ts';

export interface DevicePagePorts extends AccountPorts, FindDeviceQuestionPorts {
  readonly db: Db;
  readonly work: Work;
  /** Makes the MACs by which codes of users are found. */
  readonly userCodeKey: Buffer;
}

const confirmAddress = (requestId: string): string => `${PATHS.confirm}?${new URLSearchParams({ request: requestId })}`;

/** The form is good for the session in which it was shown. */
const entryPurpose = ({ externalSessionId }: Visitor): string => `device ${externalSessionId}`;
const confirmPurpose = (requestId: string, { user }: Visitor): string => `device ${requestId} ${user.id}`;

/** Who looks, or the way to the sign-in page, which leads back. */
async function open(
  ports: DevicePagePorts,
  request: PageRequest,
  path: string,
): Promise<{ readonly visit: Visit; readonly visitor: Visitor } | Answer> {
  const visitor = await visitorOf(ports, request);
  if (visitor === null) return seeOther(signInAddress(path));
  return { visitor, visit: await openVisit(ports, request, visitor) };
}

function enter(ports: DevicePagePorts, visit: Visit, visitor: Visitor, userCode: string, isWrong = false): Answer {
  const token = tokenField(ports, visit, entryPurpose(visitor));
  return entryPage(visit.view, { login: visitor.user.login, token, userCode, isWrong });
}

async function showEntry(ports: DevicePagePorts, request: PageRequest, given: string): Promise<Answer> {
  const userCode = readUserCode(given) ?? '';
  const query = userCode === '' ? '' : `?${new URLSearchParams({ user_code: userCode })}`;
  const opened = await open(ports, request, PATHS.enter + query);
  return 'status' in opened ? opened : enter(ports, opened.visit, opened.visitor, userCode);
}

/** Begins to ask, in this browser, for the request of a code. Null: there is none that waits. */
async function begin(ports: DevicePagePorts, { context, flow }: Visit, code: string): Promise<string | null> {
  const { now, orgId } = context;
  const hash = hashOfUserCode(ports.userCodeKey, orgId, code);
  const polled = await findByUserCode(ports.db, orgId, hash, now);
  if (polled === undefined) return null;
  const { clientId, expiresAt, issuedAt, scopes, serverId } = polled;
  const requestId = randomBytes(32).toString('base64url');
  return ports.work(context, async (tx): Promise<string | null> => {
    const client = await lockLiveClient(tx, orgId, clientId);
    if (client?.status !== 'ACTIVE' || issuedAt <= client.validAfter) return null;
    const parameters = { [POLLED_PARAMETER]: polled.hash.toString('base64url'), scope: scopes.join(' ') };
    const stored = { hash: hashSecret(requestId), clientId, serverId, parameters, createdAt: now, expiresAt };
    await insertInteraction(tx, orgId, stored, flow, 'DEVICE');
    return requestId;
  });
}

interface EntryForm {
  readonly formToken?: string;
  readonly user_code?: string;
}

async function sendEntry(ports: DevicePagePorts, request: PageRequest, form: EntryForm): Promise<Answer> {
  const opened = await open(ports, request, PATHS.enter);
  if ('status' in opened) return opened;
  const { visit, visitor } = opened;
  const purpose = entryPurpose(visitor);
  const foreign = refuseForeignForm(ports, visit, { purpose, token: form.formToken, again: PATHS.enter });
  if (foreign !== null) return foreign;
  try {
    await admitDeviceCode(ports, visit.context, visitor.user.id);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'E0000047') throw error;
    return problemPage(visit.view, { status: 429, headers: error.headers });
  }
  const code = readUserCode(form.user_code ?? '');
  const requestId = code === null ? null : await begin(ports, visit, code);
  if (requestId === null) return enter(ports, visit, visitor, (form.user_code ?? '').slice(0, 64), true);
  return seeOther(confirmAddress(requestId), visit.view.cookies);
}

async function toldScopes(
  { db }: DevicePagePorts,
  { context: { orgId } }: Visit,
  { polled, server }: DeviceQuestion,
): Promise<ToldScope[]> {
  const known: readonly ToldScope[] =
    server === null ? SYSTEM_SCOPES : await readServerScopes(db, orgId, server.facts.id);
  return polled.scopes.map((name) => {
    const { description = null, displayName = null } = known.find((scope) => scope.name === name) ?? {};
    return { name, displayName, description };
  });
}

async function ask(ports: DevicePagePorts, visit: Visit, visitor: Visitor, question: DeviceQuestion): Promise<Answer> {
  const { client, requestId } = question;
  const { baseUrl, orgId } = visit.context;
  const [logos, scopes] = await Promise.all([
    findLogosOf(ports.db, orgId, [client.clientId]),
    toldScopes(ports, visit, question),
  ]);
  return confirmPage(visit.view, {
    appLabel: client.label,
    logoAddress: logoAddress(logos.get(client.clientId) ?? null, baseUrl).href,
    login: visitor.user.login,
    token: tokenField(ports, visit, confirmPurpose(requestId, visitor)),
    requestId,
    scopes,
  });
}

function answerOf({ view }: Visit, requestId: string, outcome: DeviceOutcome): Answer {
  if (outcome === 'over') return overPage(view);
  if (outcome === 'consent') return seeOther(`/consent?${new URLSearchParams({ request: requestId })}`);
  if (outcome === 'allowed' || outcome === 'denied') return seeOther(`${PATHS.enter}?done=${outcome}`);
  return refusedPage(view, outcome);
}

async function openQuestion(ports: DevicePagePorts, request: PageRequest, requestId: string) {
  const opened = await open(ports, request, confirmAddress(requestId));
  if ('status' in opened) return opened;
  const { visit, visitor } = opened;
  const question = await findDeviceQuestion(ports, visit.context, requestId, readFlowCookies(visit.headers));
  return question === undefined ? overPage(visit.view) : { visit, visitor, question };
}

/** Asks; whoever has allowed it, and was asked for consent since, has answered already. */
async function showConfirm(ports: DevicePagePorts, request: PageRequest, requestId: string): Promise<Answer> {
  const opened = await openQuestion(ports, request, requestId);
  if ('status' in opened) return opened;
  const { question, visit, visitor } = opened;
  const allowedBy = question.interaction.parameters[ALLOWED_BY_PARAMETER];
  if (allowedBy !== visitor.user.id) return ask(ports, visit, visitor, question);
  return answerOf(visit, requestId, await answerDevice(ports, visit.context, question, visitor, true));
}

interface ConfirmForm {
  readonly formToken?: string;
  readonly request?: string;
  readonly decision?: 'allow' | 'deny';
}

async function sendConfirm(ports: DevicePagePorts, request: PageRequest, form: ConfirmForm): Promise<Answer> {
  const { decision, formToken: token, request: requestId = '' } = form;
  const opened = await openQuestion(ports, request, requestId);
  if ('status' in opened) return opened;
  const { question, visit, visitor } = opened;
  const purpose = confirmPurpose(requestId, visitor);
  const foreign = refuseForeignForm(ports, visit, { purpose, token, again: confirmAddress(requestId) });
  if (foreign !== null) return foreign;
  if (decision === undefined) return ask(ports, visit, visitor, question);
  return answerOf(visit, requestId, await answerDevice(ports, visit.context, question, visitor, decision === 'allow'));
}

const shortText = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }));

/** The pages on which people connect a device (RFC 8628 3.3). */
export const devicePageRoutes = (ports: DevicePagePorts): AnyRoute[] => [
  route({
    ...SHOWN,
    operationId: 'showDevicePage',
    url: PATHS.enter,
    summary: 'Ask for the code that a device shows',
    query: {
      ...UI_LOCALES_FIELD,
      user_code: text(`Filled in: ${USER_CODE_LETTERS} letters.`, 64),
      done: choice('What has just happened.', ['allowed', 'denied']),
    },
    handler: async ({ query, ...request }) => {
      if (query.done !== undefined) return donePage((await openVisit(ports, request)).view, query.done);
      return showEntry(ports, request, query.user_code ?? '');
    },
  }),
  route({
    ...SENT,
    operationId: 'sendDevicePage',
    url: PATHS.enter,
    summary: 'Look up the code that a device shows',
    body: Type.Object({ formToken: FormToken, user_code: shortText('As it was typed.') }),
    handler: async ({ body, ...request }) => sendEntry(ports, request, body),
  }),
  route({
    ...SHOWN,
    operationId: 'showDeviceQuestion',
    url: PATHS.confirm,
    summary: 'Ask whether the app on a device may have what it asks for',
    query: { ...UI_LOCALES_FIELD, request: text('What the code led to; good in this browser.', 100) },
    writes: true,
    handler: async ({ query, ...request }) => showConfirm(ports, request, query.request ?? ''),
  }),
  route({
    ...SENT,
    operationId: 'sendDeviceQuestion',
    url: PATHS.confirm,
    summary: 'Allow the app on a device what it asks for, or not',
    body: Type.Object({
      formToken: FormToken,
      request: shortText('What the code led to.'),
      decision: Type.Optional(Type.Union([Type.Literal('allow'), Type.Literal('deny')])),
    }),
    handler: async ({ body, ...request }) => sendConfirm(ports, request, body),
  }),
];
