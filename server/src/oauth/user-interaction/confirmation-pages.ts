import { OAUTH_ERRORS } from '../../kernel/errors/oauth-errors.ts';
import type { Answer } from '../../platform/http/index.ts';
import { type Markup, markup, pageAnswer, problemPage, type View } from '../../platform/pages/index.ts';
import type { Refusal } from '../authorization/requests/parameter-rules.ts';
import type { PendingAuthorizationKind } from '../pending-authorizations/index.ts';
import { POLLING_FLOWS } from './polling-flows.ts';

export interface ShownScope {
  readonly name: string;
  readonly displayName: string | null;
  readonly description: string | null;
}

export interface ConfirmPage {
  readonly appLabel: string;
  readonly logoAddress: string;
  readonly login: string;
  /** The hidden field that contains the form token. */
  readonly token: Markup;
  readonly requestId: string;
  readonly bindingMessage: string | null;
  readonly scopes: readonly ShownScope[];
}

function scopeItem({ description, displayName, name }: ShownScope): Markup {
  const more = description === null || description === '' ? null : markup`<p>${description}</p>`;
  return markup`<li><strong>${displayName ?? name}</strong>${more}</li>`;
}

const saying = ({ t }: View, app: string, message: string | null): Markup | null =>
  message === null
    ? null
    : markup`<p id="says">${t('backchannel.says', { app })}</p>
<p class="panel" aria-describedby="says"><strong>${message}</strong></p>`;

export function confirmPage(view: View, kind: PendingAuthorizationKind, page: ConfirmPage): Answer {
  const { brand, t } = view;
  const { appLabel: app, bindingMessage, login, logoAddress, requestId, scopes, token } = page;
  const { confirm, words } = POLLING_FLOWS[kind];
  const title = t('consent.title', { app });
  const body = markup`<div class="app"><img src="${logoAddress}" alt=""></div><h1>${title}</h1>
<p class="lead">${t('consent.who', { org: brand.name, login })}</p>
<form method="post" action="${confirm}">${token}<input type="hidden" name="request" value="${requestId}">
${saying(view, app, bindingMessage)}<p>${t(`${words}.confirm`)}</p>
<p id="asked">${t('consent.may', { app })}</p>
<ul class="scopes" aria-labelledby="asked">${scopes.map(scopeItem)}</ul>
<div class="answers"><button class="quiet" type="submit" name="decision" value="deny">${t('consent.deny')}</button>
<button type="submit" name="decision" value="allow">${t('consent.allow')}</button></div></form>`;
  return pageAnswer(view, { title, body });
}

const again = ({ t }: View, kind: PendingAuthorizationKind) => {
  const { enter, words } = POLLING_FLOWS[kind];
  return { href: enter, text: t(`${words}.again`) };
};

export const overPage = (view: View, kind: PendingAuthorizationKind): Answer =>
  problemPage(view, {
    status: 400,
    title: view.t('request.title'),
    text: view.t(`${POLLING_FLOWS[kind].words}.over`),
    link: again(view, kind),
  });

/** Renders a page that explains why the app cannot have the access that the user allowed. */
export function refusedPage(view: View, kind: PendingAuthorizationKind, { description, refused }: Refusal): Answer {
  const row = OAUTH_ERRORS[refused];
  return problemPage(view, {
    status: 400,
    title: view.t('request.title'),
    text: view.t(refused === 'appPolicyDenied' ? 'device.policy' : 'device.refused'),
    technical: { error: row.error, description: description ?? row.description },
    link: again(view, kind),
  });
}
