import type { Answer } from './platform/http/index.ts';
import { type Markup, markup, pageAnswer, type View } from './platform/pages/index.ts';
import { type Db, findInstallationFact } from './platform/postgres/index.ts';
import { VERSION } from './version.ts';

const LINKS: readonly (readonly [path: (word: string) => string, text: string])[] = [
  [() => '/signin', 'Sign in'],
  [(word) => `/.well-known/${word}-organization`, 'This organization, as clients see it'],
  [() => '/api/v1/users?limit=10', 'Users (needs an API token)'],
  [() => '/api/v1/logs?limit=10', 'System Log (needs an API token)'],
];

const row = (name: string, value: string, tone = ''): Markup =>
  markup`<dt>${name}</dt><dd class="${tone}">${value}</dd>`;

/** Whether the database answers: any row will do. */
const answers = (db: Db): Promise<boolean> =>
  findInstallationFact(db, 'namespace').then(
    () => true,
    () => false,
  );

function bodyOf({ brand, context }: View, isHealthy: boolean, mailsPage: string | null): Markup {
  const { baseUrl, namespace } = context;
  const links = LINKS.map(([path, text]) => markup`<li><a href="${path(namespace.word)}">${text}</a></li>`);
  const health = isHealthy ? row('Health', 'Ready', 'good') : row('Health', 'The database does not answer', 'bad');
  const mails =
    mailsPage === null
      ? null
      : markup`<li><a href="${mailsPage}">Mails</a>: here they are on a page, too, whose key
<code>gatehouse mail key</code> prints.</li>`;
  return markup`<div lang="en"><h1>${brand.name}</h1><p class="lead">Gatehouse serves this organization.</p></div>
<section lang="en" class="panel" aria-labelledby="org"><h2 id="org">Organization</h2><dl>
${row('Name', brand.name)}${row('Address', baseUrl)}${health}</dl></section>
<section lang="en" class="panel" aria-labelledby="links"><h2 id="links">Where to go on</h2>
<ul class="plain">${links}</ul></section>
<section lang="en" class="panel" aria-labelledby="operators"><h2 id="operators">For operators</h2><ul class="plain">
<li><code>gatehouse doctor</code> checks the installation.</li>
<li><code>gatehouse token create</code> makes an API token.</li>
<li><code>gatehouse mail list</code> shows mails where there is no mail server.</li>${mails}
</ul></section>`;
}

/**
 * What stands at the org's address for whoever is not signed in: the org, its health, and where to go on. It is for
 * those who set the service up, and in English alone. `mailsPage`: where mails that wait are shown, if anywhere.
 */
export async function startPage(db: Db, view: View, mailsPage: string | null): Promise<Answer> {
  const body = bodyOf(view, await answers(db), mailsPage);
  return pageAnswer(view, { title: 'Gatehouse', body, navigation: [], footnote: `Gatehouse ${VERSION}` });
}
