import { ApiError } from '../../../kernel/errors/errors.ts';
import type { Answer } from '../../../platform/http/index.ts';
import { markup, problemPage, seeOther } from '../../../platform/pages/index.ts';
import { redeemAddress } from '../../authn/recovery/redeem-address.ts';
import { isWelcome, redeemToken, type SignInTokenKind } from '../../authn/recovery/redeem-token.ts';
import {
  openPageSession,
  type PageRequest,
  type PageSession,
  refuseForeignForm,
  show,
  tokenField,
} from '../page-session.ts';
import type { PagesPorts } from '../ports.ts';
import { continueSignIn, signInAddress } from './continue-sign-in.ts';

/**
 * The tokens by which each kind of link lets a user set a password or unlock the account, and the page where users can
 * start again.
 */
export const LINK_KINDS = {
  welcome: { tokens: ['ACTIVATION'], again: '/signin' },
  reset: { tokens: ['PASSWORD_RESET'], again: '/signin/forgot-password' },
  unlock: { tokens: ['UNLOCK'], again: '/signin/unlock' },
  /** This kind verifies an address and signs nobody in. */
  address: { tokens: [], again: '/account/profile' },
} as const satisfies Record<string, { tokens: readonly SignInTokenKind[]; again: string }>;
export type LinkKind = keyof typeof LINK_KINDS;

const PURPOSE = 'mailed link';
const TOKEN_PATTERN = /^[0-9A-Za-z]{1,64}$/;

const expiredPage = ({ view }: PageSession, kind: LinkKind, status: number): Answer => {
  const { t } = view;
  const link = { href: LINK_KINDS[kind].again, text: t('link.continue') };
  return problemPage(view, { status, title: t('link.expired.title'), text: t('link.expired'), link });
};

/** Shows a form that redeems the token. Opening the link does not redeem it, because email scanners also open links. */
export async function showMailedLink(
  ports: PagesPorts,
  request: PageRequest,
  kind: LinkKind,
  token: string,
): Promise<Answer> {
  const pageSession = await openPageSession(ports, request);
  if (!TOKEN_PATTERN.test(token)) return expiredPage(pageSession, kind, 401);
  const { brand, t } = pageSession.view;
  const title = t(`link.${kind}.title`);
  const body = markup`<h1>${title}</h1><p>${t(`link.${kind}`, { org: brand.name })}</p>
<form method="post" action="/signin/redeem">${tokenField(ports, pageSession, PURPOSE)}
<input type="hidden" name="kind" value="${kind}"><input type="hidden" name="token" value="${token}">
<button type="submit" autofocus>${t('link.continue')}</button></form>`;
  return show(pageSession, { title, body, hasSecretAddress: true });
}

/**
 * Removes the URL, and with it the links to other languages, because a GET request to the form's path finds no page.
 */
const withoutAddress = (pageSession: PageSession): PageSession => ({
  ...pageSession,
  view: { ...pageSession.view, context: { ...pageSession.view.context, url: null } },
});

async function confirmAddress(ports: PagesPorts, pageSession: PageSession, token: string): Promise<Answer> {
  await redeemAddress(ports, pageSession.context, token);
  const { t } = pageSession.view;
  const title = t('link.address.done');
  const body = markup`<h1>${title}</h1><p><a href="/account/profile">${t('link.continue')}</a></p>`;
  return show(pageSession, { title, body });
}

export interface RedeemForm {
  readonly formToken?: string;
  readonly kind: LinkKind;
  readonly token: string;
}

export async function submitMailedLink(ports: PagesPorts, request: PageRequest, form: RedeemForm): Promise<Answer> {
  const pageSession = withoutAddress(await openPageSession(ports, request));
  const { again, tokens } = LINK_KINDS[form.kind];
  const foreign = refuseForeignForm(ports, pageSession, { purpose: PURPOSE, token: form.formToken, again });
  if (foreign !== null) return foreign;
  try {
    if (form.kind === 'address') return await confirmAddress(ports, pageSession, form.token);
    if (form.kind === 'welcome' && (await isWelcome(ports, pageSession.context, form.token))) {
      return seeOther(signInAddress('/'));
    }
    const input = { token: form.token, relayState: null };
    return await continueSignIn(ports, pageSession, await redeemToken(ports, pageSession.context, tokens, input));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'E0000011') return expiredPage(pageSession, form.kind, error.status);
    if (error.code === 'E0000047') return problemPage(pageSession.view, { status: 429, headers: error.headers });
    throw error;
  }
}
