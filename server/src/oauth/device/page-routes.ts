import { Type } from '@sinclair/typebox';
import { ApiError } from '../../kernel/errors/errors.ts';
import { type Answer, type AnyRoute, choice, route, text } from '../../platform/http/index.ts';
import { problemPage, seeOther } from '../../platform/pages/index.ts';
import {
  admitDeviceCode,
  FormToken,
  openPageSession,
  type PageRequest,
  type PageSession,
  refuseForeignForm,
  SENT,
  SHOWN,
  type SignedInUser,
  tokenField,
  UI_LOCALES_FIELD,
} from '../../sign-in/index.ts';
import { findByUserCode } from '../pending-authorizations/index.ts';
import {
  beginUserInteraction,
  openSignedIn,
  POLLING_FLOWS,
  QuestionForm,
  showQuestion,
  submitAnswer,
  type UserInteractionPorts,
} from '../user-interaction/index.ts';
import { donePage, entryPage } from './pages.ts';
import { hashOfUserCode, readUserCode, USER_CODE_LETTERS } from './user-codes.ts';

export interface DevicePagePorts extends UserInteractionPorts {
  /** The key of the MACs by which user codes are looked up. */
  readonly userCodeKey: Buffer;
}

const PATHS = POLLING_FLOWS.DEVICE;

/** The form is valid only in the session in which it was shown. */
const entryPurpose = ({ externalSessionId }: SignedInUser): string => `device ${externalSessionId}`;

function enter(
  ports: DevicePagePorts,
  pageSession: PageSession,
  signedIn: SignedInUser,
  userCode: string,
  isWrong = false,
): Answer {
  const token = tokenField(ports, pageSession, entryPurpose(signedIn));
  return entryPage(pageSession.view, { login: signedIn.user.login, token, userCode, isWrong });
}

async function showEntry(ports: DevicePagePorts, request: PageRequest, given: string): Promise<Answer> {
  const userCode = readUserCode(given) ?? '';
  const query = userCode === '' ? '' : `?${new URLSearchParams({ user_code: userCode })}`;
  const opened = await openSignedIn(ports, request, PATHS.enter + query);
  return 'status' in opened ? opened : enter(ports, opened.pageSession, opened.signedIn, userCode);
}

/** Returns null if no valid request has the code. */
async function begin(ports: DevicePagePorts, pageSession: PageSession, code: string): Promise<string | null> {
  const { now, orgId } = pageSession.context;
  const hash = hashOfUserCode(ports.userCodeKey, orgId, code);
  const pending = await findByUserCode(ports.db, orgId, hash, now);
  return pending === undefined ? null : beginUserInteraction(ports.work, pageSession, pending);
}

interface EntryForm {
  readonly formToken?: string;
  readonly user_code?: string;
}

async function submitEntry(ports: DevicePagePorts, request: PageRequest, form: EntryForm): Promise<Answer> {
  const opened = await openSignedIn(ports, request, PATHS.enter);
  if ('status' in opened) return opened;
  const { pageSession, signedIn } = opened;
  const purpose = entryPurpose(signedIn);
  const foreign = refuseForeignForm(ports, pageSession, { purpose, token: form.formToken, again: PATHS.enter });
  if (foreign !== null) return foreign;
  try {
    await admitDeviceCode(ports, pageSession.context, signedIn.user.id);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'E0000047') throw error;
    return problemPage(pageSession.view, { status: 429, headers: error.headers });
  }
  const code = readUserCode(form.user_code ?? '');
  const address = code === null ? null : await begin(ports, pageSession, code);
  if (address === null) return enter(ports, pageSession, signedIn, (form.user_code ?? '').slice(0, 64), true);
  return seeOther(address, pageSession.view.cookies);
}

/** Defines the routes of the pages on which users connect a device (RFC 8628 3.3). */
export const devicePageRoutes = (ports: DevicePagePorts): AnyRoute[] => [
  route({
    ...SHOWN,
    operationId: 'showDevicePage',
    url: PATHS.enter,
    summary: 'Show the page for the code of a device',
    query: {
      ...UI_LOCALES_FIELD,
      user_code: text(`The code that is filled in, of ${USER_CODE_LETTERS} letters.`, 64),
      done: choice('The decision that the page confirms to the user.', ['allowed', 'denied']),
    },
    handler: async ({ query, ...request }) => {
      if (query.done !== undefined) return donePage((await openPageSession(ports, request)).view, query.done);
      return showEntry(ports, request, query.user_code ?? '');
    },
  }),
  route({
    ...SENT,
    operationId: 'sendDevicePage',
    url: PATHS.enter,
    summary: 'Enter the code of a device',
    body: Type.Object({
      formToken: FormToken,
      user_code: Type.Optional(Type.String({ maxLength: 100, description: 'The code as the user has typed it.' })),
    }),
    handler: async ({ body, ...request }) => submitEntry(ports, request, body),
  }),
  route({
    ...SHOWN,
    operationId: 'showDeviceQuestion',
    url: PATHS.confirm,
    summary: 'Show the request of a device',
    query: {
      ...UI_LOCALES_FIELD,
      request: text('The id of the request, which only this browser can use.', 100),
    },
    writes: true,
    handler: async ({ query, ...request }) => showQuestion(ports, request, 'DEVICE', query.request ?? ''),
  }),
  route({
    ...SENT,
    operationId: 'sendDeviceQuestion',
    url: PATHS.confirm,
    summary: 'Allow or deny the request of a device',
    body: QuestionForm,
    handler: async ({ body, ...request }) => submitAnswer(ports, request, 'DEVICE', body),
  }),
];
