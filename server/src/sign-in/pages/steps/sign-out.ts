import { ApiError } from '../../../kernel/errors/errors.ts';
import { type Answer, clearedSessionCookie } from '../../../platform/http/index.ts';
import { markup, seeOther } from '../../../platform/pages/index.ts';
import { endSession } from '../../sessions/changes/end-session.ts';
import {
  findSignedInUser,
  openPageSession,
  type PageRequest,
  type PageSession,
  refuseForeignForm,
  show,
  tokenField,
} from '../page-session.ts';
import type { AccountPorts, PagesPorts } from '../ports.ts';

const PURPOSE = 'sign out';

export const signOutButton = (
  ports: AccountPorts,
  pageSession: PageSession,
  look: 'quiet small' | 'wide',
): ReturnType<typeof markup> =>
  markup`<form method="post" action="/signout">${tokenField(ports, pageSession, PURPOSE)}
<button class="${look}" type="submit">${pageSession.view.t('signOut.submit')}</button></form>`;

/** `GET /signout` asks signed-in users to confirm, and tells others that they are signed out. */
export async function showSignOut(ports: PagesPorts, request: PageRequest): Promise<Answer> {
  const signedIn = await findSignedInUser(ports, request);
  const pageSession = await openPageSession(ports, request, signedIn);
  const { t } = pageSession.view;
  if (signedIn === null) {
    const title = t('signOut.done');
    const body = markup`<h1>${title}</h1><p role="status">${t('signOut.done.text')}</p>
<p><a class="button" href="/signin">${t('signIn.submit')}</a></p>`;
    return show(pageSession, { title, body });
  }
  const title = t('signOut.title');
  const body = markup`<h1>${title}</h1><p>${t('signOut.ask', { login: signedIn.user.login })}</p>
${signOutButton(ports, pageSession, 'wide')}<p class="links"><a href="/">${t('error.back')}</a></p>`;
  return show(pageSession, { title, body });
}

export async function submitSignOut(
  ports: PagesPorts,
  request: PageRequest,
  { formToken }: { readonly formToken?: string },
): Promise<Answer> {
  const pageSession = await openPageSession(ports, request);
  const foreign = refuseForeignForm(ports, pageSession, { purpose: PURPOSE, token: formToken, again: '/signout' });
  if (foreign !== null) return foreign;
  const signedIn = await findSignedInUser(ports, request);
  if (signedIn !== null) {
    await endSession(ports.sessions, signedIn.context, signedIn.sessionId).catch((error: unknown) => {
      // A 404 means that the session has already ended, as the user wanted.
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    });
  }
  return seeOther('/signout', [clearedSessionCookie()]);
}
