import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { escapeHtml } from './kernel/html.ts';
import type { OrgId } from './kernel/ids.ts';
import { type AnyRoute, html, route } from './platform/http/index.ts';
import { type Db, findInstallationFact } from './platform/postgres/index.ts';
import { VERSION } from './version.ts';

export interface StartPagePorts {
  readonly db: Db;
  /** The company's name, by which the page calls the org. */
  readonly edgeOrgs: { nameOf(orgId: OrgId): Promise<string> };
}

interface Facts {
  readonly companyName: string;
  readonly baseUrl: string;
  readonly word: string;
  readonly isHealthy: boolean;
}

const STYLE = `
:root { color-scheme: light dark; --text: #1c2430; --muted: #5b6675; --line: #d9dee5; --back: #f6f7f9; --card: #fff;
  --good: #14713d; --bad: #a32020; --link: #1d56c0; }
@media (prefers-color-scheme: dark) { :root { --text: #e7ebf0; --muted: #9aa6b5; --line: #313a46; --back: #12161c;
  --card: #1a2029; --good: #5fd08f; --bad: #ff8f8f; --link: #8db7ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 4rem 1.25rem; }
h1 { margin: 0; font-size: 1.75rem; overflow-wrap: anywhere; }
.lead { margin: .25rem 0 2rem; color: var(--muted); }
section { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem 1.5rem;
  margin-bottom: 1.25rem; }
h2 { margin: 0 0 .75rem; font-size: 1rem; }
dl { display: grid; grid-template-columns: minmax(7rem, auto) 1fr; gap: .4rem 1rem; margin: 0; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
ul { margin: 0; padding-left: 1.1rem; }
a { color: var(--link); }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.good { color: var(--good); } .bad { color: var(--bad); }
footer { color: var(--muted); font-size: .875rem; }
`;

const LINKS: readonly (readonly [path: (word: string) => string, text: string])[] = [
  [(word) => `/.well-known/${word}-organization`, 'This organization, as clients see it'],
  [() => '/api/v1/users?limit=10', 'Users (needs an API token)'],
  [() => '/api/v1/logs?limit=10', 'System Log (needs an API token)'],
];

const row = (name: string, value: string, tone = ''): string =>
  `<dt>${name}</dt><dd${tone === '' ? '' : ` class="${tone}"`}>${escapeHtml(value)}</dd>`;

/** The page's text; `nonce` opens its one style to the content security policy. */
function renderPage(facts: Facts, nonce: string): string {
  const company = escapeHtml(facts.companyName);
  const links = LINKS.map(([path, text]) => `<li><a href="${escapeHtml(path(facts.word))}">${text}</a></li>`).join(
    '\n',
  );
  const health = facts.isHealthy ? ['Ready', 'good'] : ['The database does not answer', 'bad'];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${company} - Gatehouse</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<h1>${company}</h1>
<p class="lead">Gatehouse serves this organization.</p>
<section aria-labelledby="org"><h2 id="org">Organization</h2><dl>
${row('Name', facts.companyName)}
${row('Address', facts.baseUrl)}
${row('Health', health[0] ?? '', health[1])}
</dl></section>
<section aria-labelledby="links"><h2 id="links">Where to go on</h2><ul>
${links}
</ul></section>
<section aria-labelledby="operators"><h2 id="operators">For operators</h2><ul>
<li><code>gatehouse doctor</code> checks the installation.</li>
<li><code>gatehouse token create</code> makes an API token.</li>
<li><code>gatehouse mail list</code> shows mails where there is no mail server.</li>
</ul></section>
<footer>Gatehouse ${escapeHtml(VERSION)}</footer>
</main>
</body>
</html>
`;
}

const headersFor = (nonce: string): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
});

/** Whether the database answers: any row will do. */
const answers = (db: Db): Promise<boolean> =>
  findInstallationFact(db, 'namespace').then(
    () => true,
    () => false,
  );

/** What stands at the console's address until there is a console: the org, its health, and where to go on. */
export function startPageRoutes(ports: StartPagePorts): AnyRoute[] {
  return [
    route({
      operationId: 'getStartPage',
      method: 'GET',
      url: '/',
      summary: 'Show the start page of the org',
      tag: 'StartPage',
      access: 'public',
      scopes: [],
      response: { status: 200, schema: Type.String(), mediaType: 'text/html' },
      errors: [],
      bucket: 'unlimited',
      cors: false,
      handler: async ({ context }) => {
        const nonce = randomBytes(18).toString('base64');
        const { baseUrl, namespace, orgId } = context;
        const [companyName, isHealthy] = await Promise.all([ports.edgeOrgs.nameOf(orgId), answers(ports.db)]);
        const facts = { companyName, baseUrl, word: namespace.word, isHealthy };
        return html(renderPage(facts, nonce), headersFor(nonce));
      },
    }),
  ];
}
