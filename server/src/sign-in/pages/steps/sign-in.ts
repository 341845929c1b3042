import { ApiError } from '../../../kernel/errors/errors.ts';
import type { RoutedProvider } from '../../../management/policies/index.ts';
import type { Answer } from '../../../platform/http/index.ts';
import { type Markup, markup, problemPage, seeOther } from '../../../platform/pages/index.ts';
import { signInWithPassword } from '../../authn/passwords/sign-in-with-password.ts';
import { routeLogin } from '../../discovery/discover-provider.ts';
import { field, notice, usernameFor } from '../form-parts.ts';
import {
  findSignedInUser,
  openPageSession,
  type PageRequest,
  type PageSession,
  refuseForeignForm,
  show,
  tokenField,
} from '../page-session.ts';
import type { PagesPorts } from '../ports.ts';
import { continueSignIn, type Notice, redirectToSignIn, signInAddress, stepAddress } from './continue-sign-in.ts';
import { readFromUri } from './from-uri-rules.ts';
import { RECOVERIES } from './recovery.ts';

const PURPOSE = 'sign in';
const MAXIMUM_LOGIN = 256;

export interface SignInQuery {
  readonly fromURI: string | undefined;
  readonly login_hint: string | undefined;
  readonly step: 'password' | undefined;
  readonly reauthenticate: boolean;
  readonly done: Notice | undefined;
}

interface SignInParameters {
  readonly fromUri: string;
  readonly login: string;
  readonly reauthenticate: boolean;
}

const signInParametersOf = (query: SignInQuery, baseUrl: string): SignInParameters => ({
  fromUri: readFromUri(query.fromURI, baseUrl),
  login: (query.login_hint ?? '').trim().slice(0, MAXIMUM_LOGIN),
  reauthenticate: query.reauthenticate,
});

function addressOf({ fromUri, login, reauthenticate }: SignInParameters, step?: 'password'): string {
  return signInAddress(fromUri, {
    ...(step === undefined ? {} : { step }),
    ...(login === '' ? {} : { login_hint: login }),
    ...(reauthenticate ? { reauthenticate: 'true' } : {}),
  });
}

const NOTICES = {
  locked: ['bad', 'signIn.locked'],
  over: ['bad', 'signIn.over'],
  set: ['good', 'signIn.passwordSet'],
  tries: ['bad', 'signIn.tries'],
  unlocked: ['good', 'recovery.unlocked'],
} as const;

function noticeOf({ view: { t } }: PageSession, done: Notice | undefined): Markup | null {
  if (done === undefined) return null;
  const [tone, key] = NOTICES[done];
  return notice(tone, t(key));
}

const helpOf = ({ view: { t } }: PageSession, { fromUri }: SignInParameters): Markup =>
  markup`<p class="links"><a href="${stepAddress(RECOVERIES.forgot.path, fromUri)}">${t('signIn.forgot')}</a>
<a href="${stepAddress(RECOVERIES.unlock.path, fromUri)}">${t('signIn.unlock')}</a></p>`;

const signInPage = (pageSession: PageSession, title: string, body: Markup, status = 200): Answer =>
  show(pageSession, { title, body, status, formLeavesOrigin: true });

function identifierPage(
  ports: PagesPorts,
  pageSession: PageSession,
  parameters: SignInParameters,
  done: Notice | undefined,
): Answer {
  const { t } = pageSession.view;
  const username = { name: 'username', label: t('field.username'), type: 'text', isFirst: true } as const;
  const body = markup`<h1>${t('signIn.title')}</h1>${noticeOf(pageSession, done)}
<form method="post" action="${addressOf({ ...parameters, login: '' })}">${tokenField(ports, pageSession, PURPOSE)}
${field({ ...username, autocomplete: 'username', value: parameters.login })}
<button type="submit">${t('signIn.next')}</button></form>${helpOf(pageSession, parameters)}`;
  return signInPage(pageSession, t('signIn.title'), body);
}

function whoOf({ view: { t } }: PageSession, parameters: SignInParameters): Markup {
  const other = addressOf({ ...parameters, login: '' });
  return markup`<p class="who"><span>${parameters.login}</span><a href="${other}">${t('signIn.other')}</a></p>`;
}

function passwordPage(
  ports: PagesPorts,
  pageSession: PageSession,
  parameters: SignInParameters,
  isWrong: boolean,
): Answer {
  const { t } = pageSession.view;
  const password = { name: 'password', label: t('field.password'), type: 'password', isFirst: true } as const;
  const failure = isWrong ? notice('bad', t('signIn.failed')) : null;
  const body = markup`<h1>${t('signIn.title')}</h1>${failure}${whoOf(pageSession, parameters)}
<form method="post" action="${addressOf(parameters, 'password')}">${tokenField(ports, pageSession, PURPOSE)}
${usernameFor(parameters.login)}
${field({ ...password, autocomplete: 'current-password', isWrong, maximum: 1_000 })}
<button type="submit">${t('signIn.submit')}</button></form>${helpOf(pageSession, parameters)}`;
  return signInPage(pageSession, t('signIn.title'), body, isWrong ? 401 : 200);
}

/** Shows that this login belongs to another identity provider. Signing in there is not supported yet. */
function federatedPage(pageSession: PageSession, parameters: SignInParameters, { name }: RoutedProvider): Answer {
  const { t } = pageSession.view;
  const title = t('signIn.federated.title', { provider: name });
  const body = markup`<h1>${title}</h1>${whoOf(pageSession, parameters)}
<p role="status">${t('signIn.federated', { login: parameters.login, provider: name })}</p>`;
  return show(pageSession, { title, body });
}

/** No user is looked up, so the page does not reveal who exists. */
async function nextPage(ports: PagesPorts, pageSession: PageSession, parameters: SignInParameters): Promise<Answer> {
  const { providers } = await routeLogin(ports, pageSession.context, parameters.login);
  const [first] = providers;
  if (first === undefined || providers.some(({ id }) => id === null))
    return passwordPage(ports, pageSession, parameters, false);
  return federatedPage(pageSession, parameters, first);
}

/** Redirects signed-in users to the requested page, unless they must sign in again. */
export async function showSignIn(ports: PagesPorts, request: PageRequest, query: SignInQuery): Promise<Answer> {
  const parameters = signInParametersOf(query, request.context.baseUrl);
  const signedIn = parameters.reauthenticate ? null : await findSignedInUser(ports, request);
  if (signedIn !== null) return seeOther(parameters.fromUri);
  const pageSession = await openPageSession(ports, request);
  const isNamed = query.step === 'password' && parameters.login !== '';
  return isNamed
    ? nextPage(ports, pageSession, parameters)
    : identifierPage(ports, pageSession, parameters, query.done);
}

function refusedPage(
  ports: PagesPorts,
  pageSession: PageSession,
  parameters: SignInParameters,
  error: unknown,
): Answer {
  if (!(error instanceof ApiError)) throw error;
  if (error.code === 'E0000004') return passwordPage(ports, pageSession, parameters, true);
  const link = { href: addressOf(parameters), text: pageSession.view.t('recovery.back') };
  if (error.code === 'E0000047') return problemPage(pageSession.view, { status: 429, headers: error.headers, link });
  throw error;
}

export interface SignInForm {
  readonly formToken?: string;
  readonly username?: string;
  readonly password?: string;
}

/** `POST /signin` takes an identifier, and in the second step also the password. */
export async function submitSignIn(
  ports: PagesPorts,
  request: PageRequest,
  query: SignInQuery,
  form: SignInForm,
): Promise<Answer> {
  const given = signInParametersOf(query, request.context.baseUrl);
  const pageSession = await openPageSession(ports, request);
  const again = addressOf(given);
  const foreign = refuseForeignForm(ports, pageSession, { purpose: PURPOSE, token: form.formToken, again });
  if (foreign !== null) return foreign;
  const parameters = { ...given, login: (form.username ?? '').trim().slice(0, MAXIMUM_LOGIN) };
  if (parameters.login === '') return seeOther(again);
  const { password } = form;
  if (password === undefined || password === '') return seeOther(addressOf(parameters, 'password'));
  const attempt = {
    username: parameters.login,
    password,
    warnBeforePasswordExpired: true,
    relayState: parameters.fromUri,
  };
  try {
    const answer = await signInWithPassword(ports, pageSession.context, attempt);
    if (answer.status === 'LOCKED_OUT') return redirectToSignIn(parameters.fromUri, 'locked');
    return await continueSignIn(ports, pageSession, answer);
  } catch (error) {
    return refusedPage(ports, pageSession, parameters, error);
  }
}
