import { OAUTH_ERRORS } from '../../kernel/oauth-errors.ts';
import type { Answer } from '../../platform/http/index.ts';
import { type Markup, markup, pageAnswer, problemPage, type View } from '../../platform/pages/index.ts';
import { field, notice } from '../../sign-in/index.ts';
import type { Refusal } from '../authorization/parameter-rules.ts';

export const PATHS = { enter: '/activate', confirm: '/activate/confirm' } as const;

export interface EntryPage {
  readonly login: string;
  /** The hidden field of the form. */
  readonly token: Markup;
  /** Filled in; '' where nothing was. */
  readonly userCode: string;
  readonly isWrong: boolean;
}

/** Where people type what the device shows; a code that came with the address is shown, and never used unseen. */
export function entryPage(view: View, { isWrong, login, token, userCode }: EntryPage): Answer {
  const { brand, t } = view;
  const title = t('device.title');
  const input = field({
    name: 'user_code',
    label: t('device.code'),
    type: 'text',
    autocomplete: 'off',
    value: userCode,
    maximum: 64,
    isFirst: userCode === '',
    isWrong,
    describedBy: 'check',
  });
  const body = markup`<h1>${title}</h1>${isWrong ? notice('bad', t('device.wrong')) : null}
<p class="lead">${t('consent.who', { org: brand.name, login })}</p>
<form method="post" action="${PATHS.enter}">${token}${input}<p class="lead" id="check">${t('device.check')}</p>
<button type="submit">${t('signIn.next')}</button></form>`;
  return pageAnswer(view, { title, body, status: isWrong ? 400 : 200 });
}

/** A scope as people are told of it. */
export interface ToldScope {
  readonly name: string;
  readonly displayName: string | null;
  readonly description: string | null;
}

export interface ConfirmPage {
  readonly appLabel: string;
  readonly logoAddress: string;
  readonly login: string;
  readonly token: Markup;
  readonly requestId: string;
  readonly scopes: readonly ToldScope[];
}

function scopeItem({ description, displayName, name }: ToldScope): Markup {
  const more = description === null || description === '' ? null : markup`<p>${description}</p>`;
  return markup`<li><strong>${displayName ?? name}</strong>${more}</li>`;
}

/** Asks whether the app on the device may have what it asks for. */
export function confirmPage(view: View, page: ConfirmPage): Answer {
  const { brand, t } = view;
  const { appLabel: app, login, logoAddress, requestId, scopes, token } = page;
  const title = t('consent.title', { app });
  const body = markup`<div class="app"><img src="${logoAddress}" alt=""></div><h1>${title}</h1>
<p class="lead">${t('consent.who', { org: brand.name, login })}</p>
<form method="post" action="${PATHS.confirm}">${token}<input type="hidden" name="request" value="${requestId}">
<p>${t('device.confirm')}</p>
<p id="asked">${t('consent.may', { app })}</p>
<ul class="scopes" aria-labelledby="asked">${scopes.map(scopeItem)}</ul>
<div class="answers"><button class="quiet" type="submit" name="decision" value="deny">${t('consent.deny')}</button>
<button type="submit" name="decision" value="allow">${t('consent.allow')}</button></div></form>`;
  return pageAnswer(view, { title, body });
}

export type Done = 'allowed' | 'denied';

export function donePage(view: View, done: Done): Answer {
  const { t } = view;
  const title = t(`device.${done}.title`);
  const body = markup`<h1>${title}</h1><p role="status">${t(`device.${done}`)}</p>`;
  return pageAnswer(view, { title, body });
}

export const overPage = (view: View): Answer =>
  problemPage(view, { status: 400, title: view.t('request.title'), text: view.t('device.over'), link: again(view) });

const again = ({ t }: View) => ({ href: PATHS.enter, text: t('device.again') });

/** What the app may not have for whoever allowed it. */
export function refusedPage(view: View, { description, refused }: Refusal): Answer {
  const row = OAUTH_ERRORS[refused];
  return problemPage(view, {
    status: 400,
    title: view.t('request.title'),
    text: view.t('device.refused'),
    technical: { error: row.error, description: description ?? row.description },
    link: again(view),
  });
}
