import { type Answer, readBrowserSession, sessionCookie } from '../../../platform/http/index.ts';
import { seeOther } from '../../../platform/pages/index.ts';
import type { AuthnAnswer } from '../../authn/transactions/authn-answer.ts';
import { createSession } from '../../sessions/changes/create-session.ts';
import { clearedStateCookie, stateCookie } from '../page-cookies.ts';
import type { PageSession } from '../page-session.ts';
import type { PagesPorts } from '../ports.ts';
import { readFromUri } from './from-uri-rules.ts';

export type Notice = 'locked' | 'over' | 'set' | 'tries' | 'unlocked';

/** The query names the page that follows the sign-in, unless that is the start page. */
export function stepAddress(path: string, fromUri: string, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(fromUri === '/' ? more : { ...more, fromURI: fromUri });
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

export const signInAddress = (fromUri: string, more: Readonly<Record<string, string>> = {}): string =>
  stepAddress('/signin', fromUri, more);

export const redirectToSignIn = (fromUri: string, done: Notice): Answer =>
  seeOther(signInAddress(fromUri, { done }), [clearedStateCookie()]);

export async function continueSignIn(
  { sessions }: PagesPorts,
  pageSession: PageSession,
  answer: AuthnAnswer,
): Promise<Answer> {
  const { context, device, headers } = pageSession;
  if ('stateToken' in answer) return seeOther('/signin/step', [stateCookie(answer.stateToken)]);
  if (answer.status === 'LOCKED_OUT') return redirectToSignIn('/', 'locked');
  const fromUri = readFromUri(answer.relayState, context.baseUrl);
  if (answer.status === 'PASSWORD_SET') return redirectToSignIn(fromUri, 'set');
  if (answer.status === 'UNLOCKED') return redirectToSignIn(fromUri, 'unlocked');
  if (answer.status !== 'SUCCESS') return seeOther(stepAddress('/signin/mail-sent', fromUri));
  const { id, persistent } = await createSession(sessions, context, answer.sessionToken, readBrowserSession(headers));
  return seeOther(fromUri, [sessionCookie(id, persistent), device.cookie, clearedStateCookie()]);
}
