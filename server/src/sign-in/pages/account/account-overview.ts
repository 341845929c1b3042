import { listAppLinks } from '../../../management/app-assignments/index.ts';
import type { Answer } from '../../../platform/http/index.ts';
import { type Markup, markup } from '../../../platform/pages/index.ts';
import { findSignedInUser, openPageSession, type PageRequest } from '../page-session.ts';
import type { PagesPorts } from '../ports.ts';
import { type AccountSession, accountPage } from './account-page.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function nameOf({ user }: AccountSession['signedIn']): string {
  const { displayName, firstName, lastName } = user.profile;
  const full = [textOf(firstName), textOf(lastName)].filter((part) => part !== '').join(' ');
  return textOf(firstName) || textOf(displayName) || full || user.login;
}

/** A link with another scheme could run a script or start a program. */
const isPage = (href: string): boolean => /^https?:\/\//i.test(href);

async function appTiles({ users }: PagesPorts, { pageSession, signedIn }: AccountSession): Promise<Markup> {
  const links = await listAppLinks({ db: users.db, users }, signedIn.context, signedIn.grant, 'me');
  const tiles = links
    .filter(({ hidden, linkUrl }) => hidden !== true && isPage(textOf(linkUrl)))
    .map(
      ({ label, linkUrl, logoUrl }) => markup`<li><a href="${textOf(linkUrl)}">
<img src="${new URL(textOf(logoUrl)).pathname}" alt="" loading="lazy"><span>${textOf(label)}</span></a></li>`,
    );
  if (tiles.length === 0) return markup`<p class="panel">${pageSession.view.t('account.apps.none')}</p>`;
  return markup`<ul class="apps">${tiles}</ul>`;
}

/** `GET /` shows the apps of a signed-in user, and otherwise the start page of the org. */
export async function showStart(ports: PagesPorts, request: PageRequest): Promise<Answer> {
  const signedIn = await findSignedInUser(ports, request);
  const pageSession = await openPageSession(ports, request, signedIn);
  if (signedIn === null) return ports.startPage(pageSession.view);
  const own = { pageSession, signedIn };
  const { t } = pageSession.view;
  const heading = t('account.welcome', { name: nameOf(signedIn) });
  const body = markup`<h2>${t('account.apps')}</h2>${await appTiles(ports, own)}`;
  return accountPage(ports, own, 'apps', { heading, body });
}
