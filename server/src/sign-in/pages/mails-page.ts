import { createHmac } from 'node:crypto';
import { commandLine } from '../../kernel/command-line.ts';
import type { Context } from '../../kernel/context.ts';
import { apiError } from '../../kernel/errors/errors.ts';
import type { MasterKey } from '../../platform/crypto/index.ts';
import { constantTimeEqual } from '../../platform/crypto/secrets.ts';
import {
  type Answer,
  type AnyRoute,
  type CookieHeaders,
  readBrowserSession,
  route,
  text,
  valuesOfCookie,
} from '../../platform/http/index.ts';
import { type ListedMail, linksIn, listMails } from '../../platform/mail/index.ts';
import {
  type Markup,
  markup,
  type Pages,
  pageAnswer,
  problemPage,
  seeOther,
  type View,
} from '../../platform/pages/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { Sessions } from '../sessions/index.ts';
import { SHOWN, UI_LOCALES_FIELD } from './page-route.ts';

export const MAILS_PAGE = '/dev/mails';
const SHOWN_MAILS = 50;

/** The key is derived from the master key, so every process knows it. */
const keyOf = (masterKey: MasterKey): string => masterKey.subkey('mails page').toString('base64url');

export const mailsPageUrl = (baseUrl: string, masterKey: MasterKey): string =>
  `${baseUrl}${MAILS_PAGE}?key=${keyOf(masterKey)}`;

const COOKIE = '__Host-mails';

/** The key is valid in every org. The cookie contains another value, which is valid in one org only. */
const cookieValue = (masterKey: MasterKey, { orgId }: Context): string =>
  createHmac('sha256', masterKey.subkey('mails page cookie')).update(orgId).digest('base64url');

const keyCookie = (masterKey: MasterKey, context: Context): string =>
  `${COOKIE}=${cookieValue(masterKey, context)}; Path=/; Secure; HttpOnly; SameSite=Lax`;

function hasKeyCookie(masterKey: MasterKey, context: Context, headers: CookieHeaders): boolean {
  const [value, ...others] = valuesOfCookie(headers, COOKIE);
  return value !== undefined && others.length === 0 && constantTimeEqual(value, cookieValue(masterKey, context));
}

/** Only the session cookie of browsers (`__Host-sid`) counts. */
async function isSuperAdministrator(
  sessions: Pick<Sessions, 'authenticate'>,
  { now, orgId }: Context,
  headers: CookieHeaders,
): Promise<boolean> {
  const sessionId = readBrowserSession(headers);
  const holder = sessionId === null ? null : await sessions.authenticate(orgId, sessionId, now);
  return holder?.roles.some(({ type }) => type === 'SUPER_ADMIN') ?? false;
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1)$/;

/** A proxy on this machine makes every request look local, but it usually adds one of these headers. */
const isFromHere = (address: string | null, headers: Readonly<Record<string, unknown>>): boolean =>
  LOOPBACK.test(address ?? '') && headers['x-forwarded-for'] === undefined && headers['forwarded'] === undefined;

const linkItem = (href: string): Markup => markup`<li><a href="${href}">${href}</a></li>`;

function mailItem({ createdAt, recipient, subject, text: content }: ListedMail): Markup {
  const links = linksIn(content ?? '').map(linkItem);
  const instant = createdAt.toISOString();
  return markup`<li><div><strong>${subject}</strong>
<p>To ${recipient}, <time datetime="${instant}">${instant.slice(0, 19).replace('T', ' ')} UTC</time></p>
<ul class="plain">${links}</ul>
<details><summary>Text</summary><pre>${content ?? '(Sent. Its text is not kept.)'}</pre></details></div></li>`;
}

function mailsPage(view: View, mails: readonly ListedMail[]): Answer {
  const list =
    mails.length === 0
      ? markup`<p>There is no email yet.</p>`
      : markup`<ul class="rows">${mails.map((mail) => mailItem(mail))}</ul>`;
  const body = markup`<div lang="en"><h1>Outgoing email</h1><p class="lead">No mail server is set up, so email is
kept here, newest first, instead of being sent. Set <code>GATEHOUSE_SMTP_URL</code> to send it.</p></div>
<section lang="en" class="panel" aria-label="Outgoing email">${list}</section>`;
  return pageAnswer(view, {
    title: 'Outgoing email',
    body,
    navigation: [],
    footnote: `Shows the newest ${SHOWN_MAILS}`,
  });
}

export interface MailsPagePorts extends Pick<Foundation, 'db' | 'masterKey'> {
  readonly pages: Pages;
  readonly sessions: Pick<Sessions, 'authenticate'>;
  /** Whether this is a development installation (`showsMails` in config.ts). */
  readonly isOpen: boolean;
}

const refusal = (view: View): Answer =>
  problemPage(view, {
    status: 403,
    title: 'This page requires its key',
    text: `${commandLine('mail key')} prints its address with the key. Super administrators only need to sign in.`,
    link: { href: '/signin', text: 'Sign in' },
  });

/**
 * Makes the routes of the page that lists the emails of a development installation, with the links in them. The page
 * cannot always require a sign-in, because its links let the first user sign in. Without the session of a super
 * administrator, it requires a key, because other users of the machine can also reach the page.
 */
export const mailsPageRoutes = ({ db, isOpen, masterKey, pages, sessions }: MailsPagePorts): AnyRoute[] => [
  route({
    ...SHOWN,
    operationId: 'showMailsPage',
    url: MAILS_PAGE,
    summary: 'Show the emails of a development installation',
    query: {
      ...UI_LOCALES_FIELD,
      key: text('The key of the page. The browser needs it only once, because it then gets a cookie.', 256),
    },
    errors: [...SHOWN.errors, 'E0000008'],
    handler: async ({ context, headers, query: { key }, rawQuery }) => {
      if (!isOpen || !isFromHere(context.client.ipAddress, headers)) throw apiError('E0000008');
      const view = await pages.viewOf({ context, headers, rawQuery });
      if (key !== undefined) {
        const isRight = constantTimeEqual(key, keyOf(masterKey));
        return isRight ? seeOther(MAILS_PAGE, [keyCookie(masterKey, context)]) : refusal(view);
      }
      const mayRead =
        hasKeyCookie(masterKey, context, headers) || (await isSuperAdministrator(sessions, context, headers));
      if (!mayRead) return refusal(view);
      return mailsPage(view, await listMails(db, masterKey, context.orgId, SHOWN_MAILS));
    },
  }),
];
