import { findApp, findLogosOfClients, logoAddress } from '../../../management/apps/index.ts';
import { findUserById } from '../../../management/users/index.ts';
import {
  type Answer,
  type AnyRoute,
  formToken,
  type HandlerInput,
  isOwnForm,
  readBrowserSession,
  readFlowCookie,
  readFlowCookies,
  route,
  text,
} from '../../../platform/http/index.ts';
import { type Pages, seeOther, type View } from '../../../platform/pages/index.ts';
import { localeOf, UI_LOCALES_FIELD } from '../../../sign-in/index.ts';
import type { Foundation } from '../../../system-log/index.ts';
import { ConsentForm } from '../contract.ts';
import { answerQuestion } from './answer-question.ts';
import { consentPage, refusedPage } from './consent-page.ts';
import { findQuestion, type Question, resumedAt } from './find-question.ts';
import { askedText, checkboxOf, formTargets } from './page-rules.ts';

export interface ConsentPagePorts extends Pick<Foundation, 'db' | 'work'> {
  readonly pages: Pages;
  readonly formKey: Buffer;
}

type PageRequest = Pick<HandlerInput<never, never, never>, 'context' | 'headers' | 'rawQuery'>;

const PATH = '/consent';

const goOn = (path: string, requestId: string): Answer => seeOther(`${path}?request=${encodeURIComponent(requestId)}`);

async function viewFor({ db, pages }: ConsentPagePorts, request: PageRequest, userId?: string): Promise<View> {
  const user = userId === undefined ? undefined : await findUserById(db, request.context.orgId, userId);
  return pages.viewOf({ ...request, userLocale: user === undefined ? null : localeOf(user) });
}

const refuse = async (ports: ConsentPagePorts, request: PageRequest): Promise<Answer> =>
  refusedPage(await viewFor(ports, request));

/** A form is valid for one request and for the user to whom it was shown. */
const purposeOf = (requestId: string, userId: string): string => `consent ${requestId} ${userId}`;

async function ask(
  ports: ConsentPagePorts,
  request: PageRequest,
  question: Question,
  requestId: string,
  flowValue: string,
): Promise<Answer> {
  const { db, formKey } = ports;
  const { baseUrl, orgId } = request.context;
  const { asked, client, interaction, session } = question;
  const [app, logos, view] = await Promise.all([
    findApp(db, orgId, client.appId),
    findLogosOfClients(db, orgId, [client.clientId]),
    viewFor(ports, request, session.userId),
  ]);
  const settings = app?.document.settings;
  const { policy_uri, tos_uri } = settings !== undefined && 'oauthClient' in settings ? settings.oauthClient : {};
  return consentPage(view, {
    appLabel: client.label,
    logoAddress: logoAddress(logos.get(client.clientId) ?? null, baseUrl).href,
    login: session.login,
    tosUri: tos_uri ?? null,
    policyUri: policy_uri ?? null,
    asked,
    hidden: {
      request: requestId,
      token: formToken(formKey, flowValue, purposeOf(requestId, session.userId)),
      asked: askedText(asked),
    },
    targets: formTargets(interaction.parameters['redirect_uri']),
  });
}

const common = {
  tag: 'ConsentPage',
  access: 'public',
  scopes: [],
  errors: [],
  errorShape: 'page',
  bucket: 'oauth',
  cors: false,
  anyAccept: true,
} as const;

const checkedIn = (form: Readonly<Record<string, string>>, { asked }: Question): ReadonlySet<string> =>
  new Set(asked.map(({ id }) => id).filter((id) => form[checkboxOf(id)] === 'on'));

async function answerForm(
  ports: ConsentPagePorts,
  request: PageRequest,
  form: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { context, headers } = request;
  const { asked = '', decision, request: requestId = '', token } = form;
  const question = await findQuestion(ports.db, context, headers, requestId);
  if (question === 'refused') return refuse(ports, request);
  if ('settledAt' in question) return goOn(question.settledAt, requestId);
  const purpose = purposeOf(requestId, question.session.userId);
  const posted = { headers, baseUrl: context.baseUrl, purpose, token };
  const sessionId = readBrowserSession(headers);
  if (!isOwnForm(ports.formKey, posted) || sessionId === null) return refuse(ports, request);
  if (decision !== 'allow' && decision !== 'deny') return refuse(ports, request);
  const checked = checkedIn(form, question);
  const flowValues = readFlowCookies(headers);
  const answer = { requestId, flowValues, sessionId, decision, asked, checked } as const;
  const outcome = await answerQuestion(ports.work, context, question, answer);
  return goOn(outcome === 'changed' ? PATH : resumedAt(question.interaction), requestId);
}

/** Defines the routes of the page on which a user grants or denies an app's request (specification 2.9). */
export const consentPageRoutes = (ports: ConsentPagePorts): AnyRoute[] => [
  route({
    ...common,
    bucket: 'authorize',
    operationId: 'showConsentPage',
    method: 'GET',
    url: PATH,
    summary: 'Ask the signed-in user for consent',
    query: {
      ...UI_LOCALES_FIELD,
      request: text('The id of the authorization request, which only the browser that brought it can use.', 100),
    },
    // The route redirects with 303 if there is nothing to ask. The page itself has the status 200.
    response: { status: 303, schema: null, mediaType: 'text/html' },
    handler: async ({ query: { request: requestId = '' }, ...request }) => {
      const { context, headers } = request;
      const question = await findQuestion(ports.db, context, headers, requestId);
      const flowValue = readFlowCookie(headers);
      if (question === 'refused' || flowValue === null) return refuse(ports, request);
      if ('settledAt' in question) return goOn(question.settledAt, requestId);
      return ask(ports, request, question, requestId, flowValue);
    },
  }),
  route({
    ...common,
    operationId: 'answerConsentPage',
    method: 'POST',
    url: PATH,
    summary: 'Give or refuse consent',
    body: ConsentForm,
    bodyType: 'form',
    response: { status: 303, schema: null },
    handler: ({ body, ...request }) => answerForm(ports, request, body),
  }),
];
