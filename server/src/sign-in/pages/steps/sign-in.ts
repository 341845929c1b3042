import { ApiError } from '../../../kernel/errors/errors.ts';
import type { RoutedProvider } from '../../../management/policies/index.ts';
import type { Answer } from '../../../platform/http/index.ts';
import { type Markup, markup, problemPage, seeOther } from '../../../platform/pages/index.ts';
import { signInWithPassword } from '../../authn/passwords/sign-in-with-password.ts';
import { routeLogin } from '../../discovery/discover-provider.ts';
import { field, notice, usernameFor } from '../form-parts.ts';
import type { PagesPorts } from '../ports.ts';
import { openVisit, type PageRequest, refuseForeignForm, show, tokenField, type Visit, visitorOf } from '../visit.ts';
import { readFromUri } from './from-uri-rules.ts';
import { leadingOn, leadOn, type Notice, signInAddress, signInAgain } from './lead-on.ts';
import { RECOVERIES } from './recovery.ts';

const PURPOSE = 'sign in';
const MAXIMUM_LOGIN = 256;

export interface SignInQuery {
  readonly fromURI: string | undefined;
  readonly login_hint: string | undefined;
  readonly step: 'password' | undefined;
  /** Asks whoever is signed in already too. */
  readonly reauthenticate: boolean;
  readonly done: Notice | undefined;
}

/** The purpose of the page. It is kept in the page's address, so that it outlives each answer. */
interface Asked {
  readonly fromUri: string;
  readonly login: string;
  readonly reauthenticate: boolean;
}

const askedOf = (query: SignInQuery, baseUrl: string): Asked => ({
  fromUri: readFromUri(query.fromURI, baseUrl),
  login: (query.login_hint ?? '').trim().slice(0, MAXIMUM_LOGIN),
  reauthenticate: query.reauthenticate,
});

function addressOf({ fromUri, login, reauthenticate }: Asked, step?: 'password'): string {
  return signInAddress(fromUri, {
    ...(step === undefined ? {} : { step }),
    ...(login === '' ? {} : { login_hint: login }),
    ...(reauthenticate ? { reauthenticate: 'true' } : {}),
  });
}

const NOTICES = {
  locked: ['bad', 'signIn.locked'],
  over: ['bad', 'signIn.over'],
  unlocked: ['good', 'recovery.unlocked'],
} as const;

function noticeOf({ view: { t } }: Visit, done: Notice | undefined): Markup | null {
  if (done === undefined) return null;
  const [tone, key] = NOTICES[done];
  return notice(tone, t(key));
}

const helpOf = ({ view: { t } }: Visit, { fromUri }: Asked): Markup =>
  markup`<p class="links"><a href="${leadingOn(RECOVERIES.forgot.path, fromUri)}">${t('signIn.forgot')}</a>
<a href="${leadingOn(RECOVERIES.unlock.path, fromUri)}">${t('signIn.unlock')}</a></p>`;

/** A page whose form may lead on to an application. */
const signInPage = (visit: Visit, title: string, body: Markup, status = 200): Answer =>
  show(visit, { title, body, status, leadsOn: true });

function identifierPage(ports: PagesPorts, visit: Visit, asked: Asked, done: Notice | undefined): Answer {
  const { t } = visit.view;
  const username = { name: 'username', label: t('field.username'), type: 'text', isFirst: true } as const;
  const body = markup`<h1>${t('signIn.title')}</h1>${noticeOf(visit, done)}
<form method="post" action="${addressOf({ ...asked, login: '' })}">${tokenField(ports, visit, PURPOSE)}
${field({ ...username, autocomplete: 'username', value: asked.login })}
<button type="submit">${t('signIn.next')}</button></form>${helpOf(visit, asked)}`;
  return signInPage(visit, t('signIn.title'), body);
}

function whoOf(visit: Visit, asked: Asked): Markup {
  const other = addressOf({ ...asked, login: '' });
  return markup`<p class="who"><span>${asked.login}</span><a href="${other}">${visit.view.t('signIn.other')}</a></p>`;
}

function passwordPage(ports: PagesPorts, visit: Visit, asked: Asked, isWrong: boolean): Answer {
  const { t } = visit.view;
  const password = { name: 'password', label: t('field.password'), type: 'password', isFirst: true } as const;
  const failure = isWrong ? notice('bad', t('signIn.failed')) : null;
  const body = markup`<h1>${t('signIn.title')}</h1>${failure}${whoOf(visit, asked)}
<form method="post" action="${addressOf(asked, 'password')}">${tokenField(ports, visit, PURPOSE)}
${usernameFor(asked.login)}
${field({ ...password, autocomplete: 'current-password', isWrong, maximum: 1_000 })}
<button type="submit">${t('signIn.submit')}</button></form>${helpOf(visit, asked)}`;
  return signInPage(visit, t('signIn.title'), body, isWrong ? 401 : 200);
}

/** Where the org's rules send this login, and we can't yet. */
function federatedPage(visit: Visit, asked: Asked, { name }: RoutedProvider): Answer {
  const { t } = visit.view;
  const title = t('signIn.federated.title', { provider: name });
  const body = markup`<h1>${title}</h1>${whoOf(visit, asked)}
<p role="status">${t('signIn.federated', { login: asked.login, provider: name })}</p>`;
  return show(visit, { title, body });
}

/** The step that the routing rules choose for a login. Nobody is looked up: the page says nothing of who exists. */
async function nextPage(ports: PagesPorts, visit: Visit, asked: Asked): Promise<Answer> {
  const { providers } = await routeLogin(ports, visit.context, asked.login);
  const [first] = providers;
  if (first === undefined || providers.some(({ id }) => id === null)) return passwordPage(ports, visit, asked, false);
  return federatedPage(visit, asked, first);
}

/** `GET /signin`: straight on with a session, else the identifier, then the password or where the login belongs. */
export async function showSignIn(ports: PagesPorts, request: PageRequest, query: SignInQuery): Promise<Answer> {
  const asked = askedOf(query, request.context.baseUrl);
  const visitor = asked.reauthenticate ? null : await visitorOf(ports, request);
  if (visitor !== null) return seeOther(asked.fromUri);
  const visit = await openVisit(ports, request);
  const isNamed = query.step === 'password' && asked.login !== '';
  return isNamed ? nextPage(ports, visit, asked) : identifierPage(ports, visit, asked, query.done);
}

/** A refusal of the sign-in as a page; anything else is thrown on. */
function refusedPage(ports: PagesPorts, visit: Visit, asked: Asked, error: unknown): Answer {
  if (!(error instanceof ApiError)) throw error;
  if (error.code === 'E0000004') return passwordPage(ports, visit, asked, true);
  const link = { href: addressOf(asked), text: visit.view.t('recovery.back') };
  if (error.code === 'E0000047') return problemPage(visit.view, { status: 429, headers: error.headers, link });
  throw error;
}

export interface SignInForm {
  readonly formToken?: string;
  readonly username?: string;
  readonly password?: string;
}

/** `POST /signin`: an identifier leads to the next step, a password signs in. */
export async function sendSignIn(
  ports: PagesPorts,
  request: PageRequest,
  query: SignInQuery,
  form: SignInForm,
): Promise<Answer> {
  const given = askedOf(query, request.context.baseUrl);
  const visit = await openVisit(ports, request);
  const again = addressOf(given);
  const foreign = refuseForeignForm(ports, visit, { purpose: PURPOSE, token: form.formToken, again });
  if (foreign !== null) return foreign;
  const asked = { ...given, login: (form.username ?? '').trim().slice(0, MAXIMUM_LOGIN) };
  if (asked.login === '') return seeOther(again);
  const { password } = form;
  if (password === undefined || password === '') return seeOther(addressOf(asked, 'password'));
  const attempt = { username: asked.login, password, warnBeforePasswordExpired: true, relayState: asked.fromUri };
  try {
    const answer = await signInWithPassword(ports, visit.context, attempt);
    if (answer.status === 'LOCKED_OUT') return signInAgain(asked.fromUri, 'locked');
    return await leadOn(ports, visit, answer);
  } catch (error) {
    return refusedPage(ports, visit, asked, error);
  }
}
