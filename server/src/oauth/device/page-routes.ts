import { Type } from '@sinclair/typebox';
import { ApiError } from '../../kernel/errors/errors.ts';
import { type Answer, type AnyRoute, choice, route, text } from '../../platform/http/index.ts';
import { problemPage, seeOther } from '../../platform/pages/index.ts';
import {
  admitDeviceCode,
  FormToken,
  openVisit,
  type PageRequest,
  refuseForeignForm,
  SENT,
  SHOWN,
  tokenField,
  UI_LOCALES_FIELD,
  type Visit,
  type Visitor,
} from '../../sign-in/index.ts';
import {
  beginPolledQuestion,
  openSignedIn,
  type PolledQuestionPorts,
  QUESTION_KINDS,
  QuestionForm,
  sendAnswer,
  showQuestion,
} from '../polled-questions/index.ts';
import { findByUserCode } from '../polled-requests/index.ts';
import { donePage, entryPage } from './pages.ts';
import { hashOfUserCode, readUserCode, USER_CODE_LETTERS } from './user-codes.ts';

export interface DevicePagePorts extends PolledQuestionPorts {
  /** Makes the MACs by which codes of users are found. */
  readonly userCodeKey: Buffer;
}

const PATHS = QUESTION_KINDS.DEVICE;

/** The form is good for the session in which it was shown. */
const entryPurpose = ({ externalSessionId }: Visitor): string => `device ${externalSessionId}`;

function enter(ports: DevicePagePorts, visit: Visit, visitor: Visitor, userCode: string, isWrong = false): Answer {
  const token = tokenField(ports, visit, entryPurpose(visitor));
  return entryPage(visit.view, { login: visitor.user.login, token, userCode, isWrong });
}

async function showEntry(ports: DevicePagePorts, request: PageRequest, given: string): Promise<Answer> {
  const userCode = readUserCode(given) ?? '';
  const query = userCode === '' ? '' : `?${new URLSearchParams({ user_code: userCode })}`;
  const opened = await openSignedIn(ports, request, PATHS.enter + query);
  return 'status' in opened ? opened : enter(ports, opened.visit, opened.visitor, userCode);
}

/** Begins to ask for the request of a code. Null: there is none that waits. */
async function begin(ports: DevicePagePorts, visit: Visit, code: string): Promise<string | null> {
  const { now, orgId } = visit.context;
  const hash = hashOfUserCode(ports.userCodeKey, orgId, code);
  const polled = await findByUserCode(ports.db, orgId, hash, now);
  return polled === undefined ? null : beginPolledQuestion(ports.work, visit, polled);
}

interface EntryForm {
  readonly formToken?: string;
  readonly user_code?: string;
}

async function sendEntry(ports: DevicePagePorts, request: PageRequest, form: EntryForm): Promise<Answer> {
  const opened = await openSignedIn(ports, request, PATHS.enter);
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
  const address = code === null ? null : await begin(ports, visit, code);
  if (address === null) return enter(ports, visit, visitor, (form.user_code ?? '').slice(0, 64), true);
  return seeOther(address, visit.view.cookies);
}

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
    body: Type.Object({
      formToken: FormToken,
      user_code: Type.Optional(Type.String({ maxLength: 100, description: 'As it was typed.' })),
    }),
    handler: async ({ body, ...request }) => sendEntry(ports, request, body),
  }),
  route({
    ...SHOWN,
    operationId: 'showDeviceQuestion',
    url: PATHS.confirm,
    summary: 'Ask whether the app on a device may have what it asks for',
    query: { ...UI_LOCALES_FIELD, request: text('What the code led to; good in this browser.', 100) },
    writes: true,
    handler: async ({ query, ...request }) => showQuestion(ports, request, 'DEVICE', query.request ?? ''),
  }),
  route({
    ...SENT,
    operationId: 'sendDeviceQuestion',
    url: PATHS.confirm,
    summary: 'Allow the app on a device what it asks for, or not',
    body: QuestionForm,
    handler: async ({ body, ...request }) => sendAnswer(ports, request, 'DEVICE', body),
  }),
];
