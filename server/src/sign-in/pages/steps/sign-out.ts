import { ApiError } from '../../../kernel/errors/errors.ts';
import { type Answer, clearedSessionCookie } from '../../../platform/http/index.ts';
import { markup, seeOther } from '../../../platform/pages/index.ts';
import { endSession } from '../../sessions/changes/end-session.ts';
import type { AccountPorts, PagesPorts } from '../ports.ts';
import { openVisit, type PageRequest, refuseForeignForm, show, tokenField, type Visit, visitorOf } from '../visit.ts';

const PURPOSE = 'sign out';

/** The button that signs out, for pages of somebody who is signed in. */
export const signOutButton = (
  ports: AccountPorts,
  visit: Visit,
  look: 'quiet small' | 'wide',
): ReturnType<typeof markup> =>
  markup`<form method="post" action="/signout">${tokenField(ports, visit, PURPOSE)}
<button class="${look}" type="submit">${visit.view.t('signOut.submit')}</button></form>`;

/** `GET /signout`: asks whoever is signed in; says so to whoever is not. */
export async function showSignOut(ports: PagesPorts, request: PageRequest): Promise<Answer> {
  const visitor = await visitorOf(ports, request);
  const visit = await openVisit(ports, request, visitor);
  const { t } = visit.view;
  if (visitor === null) {
    const title = t('signOut.done');
    const body = markup`<h1>${title}</h1><p role="status">${t('signOut.done.text')}</p>
<p><a class="button" href="/signin">${t('signIn.submit')}</a></p>`;
    return show(visit, { title, body });
  }
  const title = t('signOut.title');
  const body = markup`<h1>${title}</h1><p>${t('signOut.ask', { login: visitor.user.login })}</p>
${signOutButton(ports, visit, 'wide')}<p class="links"><a href="/">${t('error.back')}</a></p>`;
  return show(visit, { title, body });
}

/** `POST /signout`: ends the session of the browser, on both sides. */
export async function sendSignOut(
  ports: PagesPorts,
  request: PageRequest,
  { formToken }: { readonly formToken?: string },
): Promise<Answer> {
  const visit = await openVisit(ports, request);
  const foreign = refuseForeignForm(ports, visit, { purpose: PURPOSE, token: formToken, again: '/signout' });
  if (foreign !== null) return foreign;
  const visitor = await visitorOf(ports, request);
  if (visitor !== null) {
    await endSession(ports.sessions, visitor.context, visitor.sessionId).catch((error: unknown) => {
      // It ended by itself meanwhile, which is what was wanted.
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    });
  }
  return seeOther('/signout', [clearedSessionCookie()]);
}
