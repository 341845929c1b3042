import { commandLine } from '../../kernel/command-line.ts';
import type { Answer } from '../../platform/http/index.ts';
import { type Markup, markup, pageAnswer, type View } from '../../platform/pages/index.ts';
import { VERSION } from '../../platform/release.ts';

const trialPanel = (mailsPage: string): Markup => markup`<section lang="en" class="panel" aria-labelledby="trial">
<h2 id="trial">Trying Gatehouse out</h2><ul class="plain">
<li><a href="${mailsPage}">Outgoing email</a> is kept here. <code>${commandLine('mail key')}</code> prints the key.</li>
<li><code>${commandLine('token create')}</code> creates an API token.</li>
<li><code>${commandLine('doctor')}</code> checks the installation.</li></ul></section>`;

/**
 * In a development installation, `mailsPage` is the address of the page that lists emails. Otherwise, it is null.
 */
export function startPage(view: View, mailsPage: string | null): Answer {
  const { brand, t } = view;
  const body = markup`<h1>${brand.name}</h1><p class="lead">${t('start.lead')}</p>
<p><a class="button" href="/signin">${t('signIn.submit')}</a></p>${mailsPage === null ? null : trialPanel(mailsPage)}`;
  return pageAnswer(view, { title: t('account.apps'), body, footnote: `Gatehouse ${VERSION}` });
}
