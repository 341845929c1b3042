import { apiError } from './kernel/errors.ts';
import type { MasterKey } from './platform/crypto/index.ts';
import { type Answer, type AnyRoute, route } from './platform/http/index.ts';
import { type ListedMail, linksIn, listMails } from './platform/mail/index.ts';
import { type Markup, markup, type Pages, pageAnswer, type View } from './platform/pages/index.ts';
import type { Db } from './platform/postgres/index.ts';
import { SHOWN, UI_LOCALES_FIELD } from './sign-in/index.ts';

export const MAILS_PAGE = '/dev/mails';
const SHOWN_MAILS = 50;

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1)$/;

/** Sent straight from a program on this machine; what another machine sent through one says so. */
const isFromHere = (address: string | null, headers: Readonly<Record<string, unknown>>): boolean =>
  LOOPBACK.test(address ?? '') && headers['x-forwarded-for'] === undefined && headers['forwarded'] === undefined;

const linkItem = (href: string): Markup => markup`<li><a href="${href}">${href}</a></li>`;

function mailItem({ createdAt, recipient, subject, text }: ListedMail): Markup {
  const links = linksIn(text ?? '').map(linkItem);
  const instant = createdAt.toISOString();
  return markup`<li><div><strong>${subject}</strong>
<p>To ${recipient}, <time datetime="${instant}">${instant.slice(0, 19).replace('T', ' ')} UTC</time></p>
<ul class="plain">${links}</ul>
<details><summary>Text</summary><pre>${text ?? '(sent; its text is not kept)'}</pre></details></div></li>`;
}

function mailsPage(view: View, mails: readonly ListedMail[]): Answer {
  const list =
    mails.length === 0
      ? markup`<p>There are none yet.</p>`
      : markup`<ul class="rows">${mails.map((mail) => mailItem(mail))}</ul>`;
  const body = markup`<div lang="en"><h1>Mails</h1><p class="lead">No mail server is set up, so they wait here, newest
first, for whoever sits at this machine. Set <code>GATEHOUSE_SMTP_URL</code> to have them sent.</p></div>
<section lang="en" class="panel" aria-label="Mails">${list}</section>`;
  return pageAnswer(view, { title: 'Mails', body, navigation: [], footnote: `The newest ${SHOWN_MAILS}` });
}

export interface MailsPagePorts {
  readonly db: Db;
  readonly masterKey: MasterKey;
  readonly pages: Pages;
  /** See `showsMails` in config.ts. */
  readonly isOpen: boolean;
}

/**
 * The mails of an org where nobody sends them, with the links in them: a page of development installs, in English. It
 * asks nobody to sign in, as its links are what one signs in with at first; 404 E0000008 everywhere else.
 */
export const mailsPageRoutes = ({ db, isOpen, masterKey, pages }: MailsPagePorts): AnyRoute[] => [
  route({
    ...SHOWN,
    operationId: 'showMailsPage',
    url: MAILS_PAGE,
    summary: 'Show the mails that wait, on a development install',
    query: UI_LOCALES_FIELD,
    errors: [...SHOWN.errors, 'E0000008'],
    handler: async ({ context, headers, rawQuery }) => {
      if (!isOpen || !isFromHere(context.client.ipAddress, headers)) throw apiError('E0000008');
      const view = await pages.viewOf({ context, headers, rawQuery });
      return mailsPage(view, await listMails(db, masterKey, context.orgId, SHOWN_MAILS));
    },
  }),
];
