import type { Answer } from '../../../platform/http/index.ts';
import { type Markup, markup, seeOther } from '../../../platform/pages/index.ts';
import {
  findSignedInUser,
  openPageSession,
  type PageRequest,
  type PageSession,
  type SignedInUser,
  show,
} from '../page-session.ts';
import type { AccountPorts } from '../ports.ts';
import { signInAddress } from '../steps/continue-sign-in.ts';
import { signOutButton } from '../steps/sign-out.ts';

export const ACCOUNT_PAGES = {
  apps: '/',
  profile: '/account/profile',
  password: '/account/password',
  sessions: '/account/sessions',
  /** `oauth/consents` serves this page. */
  consents: '/account/consents',
  /** `oauth/backchannel` serves this page. */
  requests: '/account/requests',
} as const;
export type AccountPage = keyof typeof ACCOUNT_PAGES;

export interface AccountSession {
  readonly pageSession: PageSession;
  readonly signedIn: SignedInUser;
}

/** Returns the signed-in user's page session, or a redirect to the sign-in page if nobody is signed in. */
export async function openAccountSession(
  ports: AccountPorts,
  request: PageRequest,
  page: AccountPage,
): Promise<AccountSession | Answer> {
  const signedIn = await findSignedInUser(ports, request);
  if (signedIn === null) return seeOther(signInAddress(ACCOUNT_PAGES[page]));
  return { signedIn, pageSession: await openPageSession(ports, request, signedIn) };
}

/** A form with this purpose is valid only in the session in which it was shown. */
export const formPurpose = (page: AccountPage, { externalSessionId }: SignedInUser): string =>
  `${page} ${externalSessionId}`;

export function accountPage(
  ports: AccountPorts,
  { pageSession, signedIn }: AccountSession,
  page: AccountPage,
  { body, heading, status = 200 }: { readonly heading?: string; readonly body: Markup; readonly status?: number },
): Answer {
  const { t } = pageSession.view;
  const navigation = (Object.keys(ACCOUNT_PAGES) as AccountPage[]).map((name) => ({
    href: ACCOUNT_PAGES[name],
    text: t(`account.${name}`),
    isCurrent: name === page,
  }));
  const title = t(`account.${page}`);
  const aside = signOutButton(ports, pageSession, 'quiet small');
  const whole = markup`<h1>${heading ?? title}</h1>${body}`;
  return show(pageSession, { title, body: whole, navigation, aside, status, footnote: signedIn.user.login });
}
