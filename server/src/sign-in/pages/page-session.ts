import type { Context } from '../../kernel/context.ts';
import { findUserById, type UserRow } from '../../management/users/index.ts';
import {
  type Answer,
  type CookieHeaders,
  flowCookies,
  formToken,
  type HandlerInput,
  isOwnForm,
  newFlowCookie,
  readBrowserSession,
  readFlowCookie,
} from '../../platform/http/index.ts';
import {
  type Markup,
  markup,
  type PageAnswer,
  pageAnswer,
  problemPage,
  type View,
} from '../../platform/pages/index.ts';
import { type Device, deviceOf } from './page-cookies.ts';
import type { AccountPorts, OwnCaller } from './ports.ts';

export type PageRequest = Pick<HandlerInput<never, never, never>, 'context' | 'headers' | 'rawQuery'>;

export interface PageSession {
  /** The context of the request, with the device fingerprint taken from the browser's cookie. */
  readonly context: Context;
  readonly headers: CookieHeaders;
  readonly view: View;
  readonly device: Device;
  /** The value of the browser's flow cookie, to which form tokens are bound. */
  readonly flow: string;
}

export interface SignedInUser extends OwnCaller {
  readonly user: UserRow;
  /** The secret id of the session. */
  readonly sessionId: string;
  readonly externalSessionId: string;
}

export async function findSignedInUser(
  { sessions, users }: Pick<AccountPorts, 'sessions' | 'users'>,
  { context, headers }: Pick<PageRequest, 'context' | 'headers'>,
): Promise<SignedInUser | null> {
  const sessionId = readBrowserSession(headers);
  if (sessionId === null) return null;
  const authenticated = await sessions.authenticate(context.orgId, sessionId, context.now);
  if (authenticated === null || authenticated.principal.kind !== 'session') return null;
  const { actor, principal, roles } = authenticated;
  const user = await findUserById(users.db, context.orgId, principal.userId);
  if (user === undefined) return null;
  return {
    context: { ...context, principal, actor, roles },
    // Users may access only their own account here, even if their roles allow more.
    grant: { kind: 'ids', ids: [user.id] },
    user,
    sessionId,
    externalSessionId: principal.externalSessionId,
  };
}

export function localeOf({ profile }: Pick<UserRow, 'profile'>): string | null {
  const { locale } = profile;
  return typeof locale === 'string' ? locale : null;
}

export async function openPageSession(
  ports: AccountPorts,
  request: PageRequest,
  signedIn?: SignedInUser | null,
): Promise<PageSession> {
  const { headers, rawQuery } = request;
  const device = deviceOf(headers);
  const client = { ...request.context.client, deviceFingerprint: device.fingerprint, isDeviceOfCookie: true } as const;
  const userLocale = signedIn === undefined || signedIn === null ? null : localeOf(signedIn.user);
  const known = readFlowCookie(headers);
  const flow = known ?? newFlowCookie();
  const view = await ports.pages.viewOf({ context: request.context, headers, rawQuery, userLocale });
  const cookies = known === null ? [...view.cookies, ...flowCookies(flow)] : view.cookies;
  return { context: { ...request.context, client }, headers, view: { ...view, cookies }, device, flow };
}

export const show = ({ view }: PageSession, page: PageAnswer): Answer => pageAnswer(view, page);

/** No other site can make the browser send the right form token. */
export const tokenField = ({ formKey }: AccountPorts, { flow }: PageSession, purpose: string): Markup =>
  markup`<input type="hidden" name="formToken" value="${formToken(formKey, flow, purpose)}">`;

/** Returns a 403 page for a form that none of our pages showed to this browser, and otherwise null. */
export function refuseForeignForm(
  { formKey }: AccountPorts,
  { context: { baseUrl }, headers, view }: PageSession,
  { purpose, token, again }: { readonly purpose: string; readonly token: string | undefined; readonly again: string },
): Answer | null {
  if (isOwnForm(formKey, { headers, baseUrl, purpose, token })) return null;
  const { t } = view;
  return problemPage(view, { status: 403, text: t('error.form'), link: { href: again, text: t('link.continue') } });
}
