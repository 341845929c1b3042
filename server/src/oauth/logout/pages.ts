import { type Answer, clearedSessionCookie } from '../../platform/http/index.ts';
import {
  type Markup,
  markup,
  type PageAnswer,
  pageAnswer,
  problemPage,
  type View,
} from '../../platform/pages/index.ts';
import type { Refused } from './sign-out.ts';

export interface LogoutForm {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

const formOf = ({ action, fields }: LogoutForm, button: string): Markup => {
  const hidden = Object.entries(fields).map(
    ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`,
  );
  return markup`<form method="post" action="${action}">${hidden}<button type="submit">${button}</button></form>`;
};

/** The URL of the page may contain an ID token, and the response to the form may redirect to an app. */
const logoutPage = (view: View, page: PageAnswer): Answer =>
  pageAnswer(view, { ...page, hasSecretAddress: true, formLeavesOrigin: true });

export function askPage(view: View, login: string, form: LogoutForm): Answer {
  const { t } = view;
  const title = t('signOut.title');
  const body = markup`<h1>${title}</h1><p>${t('signOut.ask', { login })}</p>${formOf(form, t('signOut.submit'))}
<p class="links"><a href="/">${t('error.back')}</a></p>`;
  return logoutPage(view, { title, body });
}

/** Renders a page that submits the form again from our own origin, so that the browser sends the session cookie. */
export function resendPage(view: View, form: LogoutForm): Answer {
  const { t } = view;
  const title = t('signOut.running.title');
  const body = markup`<h1>${title}</h1><p>${t('signOut.running')}</p>${formOf(form, t('link.continue'))}`;
  return logoutPage(view, { title, body, sendsItself: true });
}

export function donePage(view: View): Answer {
  const { t } = view;
  const title = t('signOut.done');
  const body = markup`<h1>${title}</h1><p role="status">${t('signOut.done.text')}</p>
<p><a class="button" href="/signin">${t('signIn.submit')}</a></p>`;
  return pageAnswer(view, { title, body, hasSecretAddress: true, cookies: [clearedSessionCookie()] });
}

export const refusalPage = (view: View, { description, error }: Omit<Refused, 'kind'>): Answer =>
  problemPage(view, {
    status: 400,
    title: view.t('signOut.refused.title'),
    text: view.t('signOut.refused'),
    technical: { error, description },
    link: { href: '/signout', text: view.t('signOut.submit') },
    hasSecretAddress: true,
  });
