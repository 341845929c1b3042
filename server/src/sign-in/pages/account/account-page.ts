import type { Answer } from '../../../platform/http/index.ts';
import { type Markup, markup, seeOther } from '../../../platform/pages/index.ts';
import type { AccountPorts } from '../ports.ts';
import { signInAddress } from '../steps/lead-on.ts';
import { signOutButton } from '../steps/sign-out.ts';
import { openVisit, type PageRequest, show, type Visit, type Visitor, visitorOf } from '../visit.ts';

/** The pages of somebody who is signed in, in the order of the navigation. */
export const ACCOUNT_PAGES = {
  apps: '/',
  profile: '/account/profile',
  password: '/account/password',
  sessions: '/account/sessions',
  /** Served by `oauth/consents`. */
  consents: '/account/consents',
  /** Served by `oauth/backchannel`. */
  requests: '/account/requests',
} as const;
export type AccountPage = keyof typeof ACCOUNT_PAGES;

/** Somebody who is signed in, looking at a page of their own. */
export interface OwnVisit {
  readonly visit: Visit;
  readonly visitor: Visitor;
}

/** Returns the signed-in user's visit, or a redirect to the sign-in page, which leads back. */
export async function openOwnVisit(
  ports: AccountPorts,
  request: PageRequest,
  page: AccountPage,
): Promise<OwnVisit | Answer> {
  const visitor = await visitorOf(ports, request);
  if (visitor === null) return seeOther(signInAddress(ACCOUNT_PAGES[page]));
  return { visitor, visit: await openVisit(ports, request, visitor) };
}

/** Forms of somebody's own are good for the session in which they were shown, and no other. */
export const ownPurpose = (page: AccountPage, { externalSessionId }: Visitor): string => `${page} ${externalSessionId}`;

/** Renders one of the account pages, with the navigation to the others. */
export function accountPage(
  ports: AccountPorts,
  { visit, visitor }: OwnVisit,
  page: AccountPage,
  { body, heading, status = 200 }: { readonly heading?: string; readonly body: Markup; readonly status?: number },
): Answer {
  const { t } = visit.view;
  const navigation = (Object.keys(ACCOUNT_PAGES) as AccountPage[]).map((name) => ({
    href: ACCOUNT_PAGES[name],
    text: t(`account.${name}`),
    isCurrent: name === page,
  }));
  const title = t(`account.${page}`);
  const aside = signOutButton(ports, visit, 'quiet small');
  const whole = markup`<h1>${heading ?? title}</h1>${body}`;
  return show(visit, { title, body: whole, navigation, aside, status, footnote: visitor.user.login });
}
