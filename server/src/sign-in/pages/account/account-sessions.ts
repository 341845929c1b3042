import { type Answer, parseUserAgent } from '../../../platform/http/index.ts';
import { listed, type Markup, markup, seeOther } from '../../../platform/pages/index.ts';
import { endOwnSessions, listOwnSessions } from '../../sessions/changes/account-sessions.ts';
import type { OwnSession } from '../../sessions/store.ts';
import { notice } from '../form-parts.ts';
import { type PageRequest, refuseForeignForm, tokenField } from '../page-session.ts';
import type { PagesPorts } from '../ports.ts';
import { ACCOUNT_PAGES, type AccountSession, accountPage, formPurpose, openAccountSession } from './account-page.ts';

const PATH = ACCOUNT_PAGES.sessions;

const capitalised = (text: string): string => text.charAt(0) + text.slice(1).toLowerCase().replaceAll('_', ' ');

function deviceName({ view: { t } }: AccountSession['pageSession'], { userAgent }: OwnSession): string {
  const { browser, os } = parseUserAgent(userAgent ?? undefined);
  const known = [browser === 'Unknown' ? '' : capitalised(browser), os === 'Unknown' ? '' : os];
  return (
    listed(
      t,
      known.filter((part) => part !== ''),
    ) || t('account.sessions.unknownDevice')
  );
}

function sessionRow(ports: PagesPorts, { pageSession, signedIn }: AccountSession, session: OwnSession): Markup {
  const { t } = pageSession.view;
  const name = deviceName(pageSession, session);
  const isThis = session.externalId === signedIn.externalSessionId;
  const where = session.clientAddress === null ? null : markup` (${session.clientAddress})`;
  const action = isThis
    ? markup`<span class="badge">${t('account.sessions.current')}</span>`
    : markup`<form method="post" action="${PATH}">${tokenField(ports, pageSession, formPurpose('sessions', signedIn))}
<button class="quiet small" type="submit" name="end" value="${session.externalId}"
 aria-label="${t('account.sessions.endNamed', { name })}">${t('account.sessions.end')}</button></form>`;
  return markup`<li><div><strong>${name}</strong>${where}
<p>${t('account.sessions.since', { when: session.createdAt })}</p></div>${action}</li>`;
}

const NOTICES = { one: 'account.sessions.ended', others: 'account.sessions.othersEnded' } as const;

export async function showSessions(
  ports: PagesPorts,
  request: PageRequest,
  done: 'one' | 'others' | undefined,
): Promise<Answer> {
  const own = await openAccountSession(ports, request, 'sessions');
  if ('status' in own) return own;
  const { pageSession, signedIn } = own;
  const { t } = pageSession.view;
  const sessions = await listOwnSessions(ports.users.db, signedIn.context, signedIn.user.id);
  const others =
    sessions.length < 2
      ? null
      : markup`<form method="post" action="${PATH}">${tokenField(ports, pageSession, formPurpose('sessions', signedIn))}
<p><button class="quiet" type="submit" name="end" value="others">${t('account.sessions.endOthers')}</button></p>
</form>`;
  const body = markup`${done === undefined ? null : notice('good', t(NOTICES[done]))}
<p class="lead">${t('account.sessions.explained')}</p>
<section class="panel"><ul class="rows">${sessions.map((session) => sessionRow(ports, own, session))}</ul></section>
${others}`;
  return accountPage(ports, own, 'sessions', { body });
}

export interface SessionsForm {
  readonly formToken?: string;
  /** The public id of the session to end, or `others`. */
  readonly end?: string;
}

export async function submitSessions(ports: PagesPorts, request: PageRequest, form: SessionsForm): Promise<Answer> {
  const own = await openAccountSession(ports, request, 'sessions');
  if ('status' in own) return own;
  const { pageSession, signedIn } = own;
  const purpose = formPurpose('sessions', signedIn);
  const foreign = refuseForeignForm(ports, pageSession, { purpose, token: form.formToken, again: PATH });
  if (foreign !== null) return foreign;
  const { context, externalSessionId, user } = signedIn;
  const sessions = await listOwnSessions(ports.users.db, context, user.id);
  const others = sessions.map(({ externalId }) => externalId).filter((id) => id !== externalSessionId);
  const chosen = form.end === 'others' ? others : others.filter((id) => id === form.end);
  if (chosen.length === 0) return seeOther(PATH);
  await endOwnSessions(ports.sessions, context, user.id, chosen);
  return seeOther(`${PATH}?done=${form.end === 'others' ? 'others' : 'one'}`);
}
