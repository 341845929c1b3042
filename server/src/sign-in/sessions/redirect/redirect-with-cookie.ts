import type { Context } from '../../../kernel/context.ts';
import { apiError, invalid } from '../../../kernel/errors/errors.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { isTrustedOrigin } from '../../../management/trusted-origins/index.ts';
import { readBrowserSession, sessionCookie } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { createSession } from '../changes/create-session.ts';
import type { Sessions } from '../sessions.ts';
import { readRedirectUrl, senderOf } from './redirect-rules.ts';

export interface RedirectWithCookie {
  readonly token: string | undefined;
  readonly redirectUrl: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Throws 403 E0000005 unless the org, a program or a trusted origin sent the request. */
export async function assertSender(
  db: Db,
  orgId: OrgId,
  headers: RedirectWithCookie['headers'],
  baseUrl: string,
): Promise<void> {
  const sender = senderOf(headers, baseUrl);
  if (sender === 'own') return;
  // Without this check, a foreign page could sign in its visitors as a user whom an attacker controls. The attacker
  // could then read what the visitors do.
  if (sender === 'unknown' || !(await isTrustedOrigin(db, orgId, sender.origin, ['REDIRECT', 'CORS']))) {
    throw apiError('E0000005');
  }
}

/**
 * Exchanges a session token for a session cookie, and redirects the browser. If the address or the sender is refused,
 * the token is not consumed.
 */
export async function redirectWithCookie(
  ports: Pick<Sessions, 'db' | 'work' | 'ending'>,
  context: Context,
  request: RedirectWithCookie,
): Promise<{ readonly location: string; readonly cookie: string }> {
  const { baseUrl, orgId } = context;
  const { href, origin } = readRedirectUrl(request.redirectUrl);
  if (origin !== baseUrl && !(await isTrustedOrigin(ports.db, orgId, origin, ['REDIRECT']))) {
    throw invalid('redirectUrl', 'must be an address of the org or of a trusted origin.');
  }
  await assertSender(ports.db, orgId, request.headers, baseUrl);
  if (request.token === undefined) throw apiError('E0000004');
  const { id, persistent } = await createSession(ports, context, request.token, readBrowserSession(request.headers));
  return { location: href, cookie: sessionCookie(id, persistent) };
}
