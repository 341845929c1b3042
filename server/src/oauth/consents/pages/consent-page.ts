import type { Answer } from '../../../platform/http/index.ts';
import {
  type Markup,
  markup,
  pageAnswer,
  problemPage,
  type Translate,
  type View,
} from '../../../platform/pages/index.ts';
import { type AskedScope, checkboxOf, webAddress } from './page-rules.ts';

export interface ConsentPage {
  readonly appLabel: string;
  readonly logoAddress: string;
  readonly login: string;
  readonly tosUri: string | null;
  readonly policyUri: string | null;
  readonly asked: readonly AskedScope[];
  readonly hidden: Readonly<Record<string, string>>;
  /** The targets that the form may lead to, as sources for `form-action`. */
  readonly targets: string;
}

function scopeItem({ t }: View, { description, displayName, id, isOptional, name }: AskedScope): Markup {
  const title = markup`<strong>${displayName ?? name}</strong>`;
  const more = description === null || description === '' ? null : markup`<p>${description}</p>`;
  if (!isOptional) return markup`<li>${title}${more}</li>`;
  const [box, about] = [checkboxOf(id), `about.${id}`];
  const described = more === null ? null : markup` aria-describedby="${about}"`;
  return markup`<li><label><input type="checkbox" name="${box}" value="on" checked${described}>
<span>${title} <em>${t('consent.optional')}</em></span></label>
${more === null ? null : markup`<div class="about" id="${about}">${more}</div>`}</li>`;
}

export function linksOf(t: Translate, { policyUri, tosUri }: Pick<ConsentPage, 'policyUri' | 'tosUri'>): Markup | null {
  const link = (address: string | null, text: string): Markup[] => {
    const href = webAddress(address);
    return href === null ? [] : [markup`<a href="${href}" target="_blank" rel="noopener noreferrer">${text}</a>`];
  };
  const all = [...link(tosUri, t('consent.terms')), ...link(policyUri, t('consent.policy'))];
  return all.length === 0 ? null : markup`<p class="links">${all}</p>`;
}

export function consentPage(view: View, page: ConsentPage): Answer {
  const { brand, t } = view;
  const { appLabel: app, asked, hidden, login, logoAddress, targets } = page;
  const title = t('consent.title', { app });
  const fields = Object.entries(hidden).map(
    ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`,
  );
  const body = markup`<div class="app"><img src="${logoAddress}" alt=""></div><h1>${title}</h1>
<p class="lead">${t('consent.who', { org: brand.name, login })}</p>
<form method="post" action="/consent">${fields}
<p id="asked">${t('consent.may', { app })}</p>
<ul class="scopes" aria-labelledby="asked">${asked.map((scope) => scopeItem(view, scope))}</ul>
${linksOf(t, page)}<p class="lead">${t('consent.later')}</p>
<div class="answers"><button class="quiet" type="submit" name="decision" value="deny">${t('consent.deny')}</button>
<button type="submit" name="decision" value="allow">${t('consent.allow')}</button></div></form>`;
  return pageAnswer(view, { title, body, formLeavesOrigin: targets });
}

export const refusedPage = (view: View): Answer =>
  problemPage(view, { status: 400, title: view.t('request.title'), text: view.t('request.over') });
