import { listAppLinks } from '../../management/app-assignments/index.ts';
import { hiddenFromSelf, withoutHidden } from '../../management/users/index.ts';
import type { Answer } from '../../platform/http/index.ts';
import { type Markup, markup } from '../../platform/pages/index.ts';
import { accountPage, type OwnVisit, openOwnVisit } from './account-page.ts';
import type { PagesPorts } from './ports.ts';
import { openVisit, type PageRequest, visitorOf } from './visit.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function nameOf({ user }: OwnVisit['visitor']): string {
  const { displayName, firstName, lastName } = user.profile;
  const full = [textOf(firstName), textOf(lastName)].filter((part) => part !== '').join(' ');
  return textOf(firstName) || textOf(displayName) || full || user.login;
}

/** Links that browsers open as a page; an app may name others, which are not for a page of ours. */
const isPage = (href: string): boolean => /^https?:\/\//i.test(href);

async function appTiles({ users }: PagesPorts, { visit, visitor }: OwnVisit): Promise<Markup> {
  const links = await listAppLinks({ db: users.db, users }, visitor.context, visitor.grant, 'me');
  const tiles = links
    .filter(({ hidden, linkUrl }) => hidden !== true && isPage(textOf(linkUrl)))
    .map(
      ({ label, linkUrl, logoUrl }) => markup`<li><a href="${textOf(linkUrl)}">
<img src="${new URL(textOf(logoUrl)).pathname}" alt="" loading="lazy"><span>${textOf(label)}</span></a></li>`,
    );
  if (tiles.length === 0) return markup`<p class="panel">${visit.view.t('account.apps.none')}</p>`;
  return markup`<ul class="apps">${tiles}</ul>`;
}

/** `GET /`: the apps of whoever is signed in, else the start page of the org. */
export async function showStart(ports: PagesPorts, request: PageRequest): Promise<Answer> {
  const visitor = await visitorOf(ports, request);
  const visit = await openVisit(ports, request, visitor);
  if (visitor === null) return ports.startPage(visit.view);
  const own = { visit, visitor };
  const { t } = visit.view;
  const heading = t('account.welcome', { name: nameOf(visitor) });
  const body = markup`<h2>${t('account.apps')}</h2>${await appTiles(ports, own)}`;
  return accountPage(ports, own, 'apps', { heading, body });
}

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(shownValue).join(', ');
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return '';
}

/** `GET /account/profile`: what the schema shows users of themselves. */
export async function showProfile(ports: PagesPorts, request: PageRequest): Promise<Answer> {
  const own = await openOwnVisit(ports, request, 'profile');
  if ('status' in own) return own;
  const { visit, visitor } = own;
  const { users } = ports;
  const [schemas, hidden] = await Promise.all([
    users.schemasOf(users.db, visitor.context.orgId),
    hiddenFromSelf(users, visitor.context),
  ]);
  const { profile } = withoutHidden(visitor.user, hidden);
  const schema = schemas.find(({ typeId }) => typeId === visitor.user.typeId)?.schema ?? new Map();
  const rows = [...schema].flatMap(([name, { title }]) => {
    const text = hidden.has(name) ? '' : shownValue(profile[name]);
    return text === '' ? [] : [markup`<dt>${title}</dt><dd>${text}</dd>`];
  });
  const body = markup`<p class="lead">${visit.view.t('account.profile.readOnly')}</p>
<section class="panel"><dl>${rows}</dl></section>`;
  return accountPage(ports, own, 'profile', { body });
}
