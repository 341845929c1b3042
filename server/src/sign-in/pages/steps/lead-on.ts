import { type Answer, readBrowserSession, sessionCookie } from '../../../platform/http/index.ts';
import { seeOther } from '../../../platform/pages/index.ts';
import type { AuthnAnswer } from '../../authn/transactions/answers.ts';
import { createSession } from '../../sessions/changes/create-session.ts';
import { clearedStateCookie, stateCookie } from '../page-cookies.ts';
import type { PagesPorts } from '../ports.ts';
import type { Visit } from '../visit.ts';
import { readFromUri } from './from-uri-rules.ts';

export type Notice = 'locked' | 'over' | 'unlocked';

/** A page of the sign-in, with what it is to lead on to. */
export function leadingOn(path: string, fromUri: string, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(fromUri === '/' ? more : { ...more, fromURI: fromUri });
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

export const signInAddress = (fromUri: string, more: Readonly<Record<string, string>> = {}): string =>
  leadingOn('/signin', fromUri, more);

export const signInAgain = (fromUri: string, done: Notice): Answer =>
  seeOther(signInAddress(fromUri, { done }), [clearedStateCookie()]);

/**
 * Where an answer of the sign-in leads a browser: with a session (always a new id) to where it wanted to go, or to the
 * step that is due.
 */
export async function leadOn({ sessions }: PagesPorts, visit: Visit, answer: AuthnAnswer): Promise<Answer> {
  const { context, device, headers } = visit;
  if ('stateToken' in answer) return seeOther('/signin/step', [stateCookie(answer.stateToken)]);
  if (answer.status === 'LOCKED_OUT') return signInAgain('/', 'locked');
  const fromUri = readFromUri(answer.relayState, context.baseUrl);
  if (answer.status === 'UNLOCKED') return signInAgain(fromUri, 'unlocked');
  if (answer.status !== 'SUCCESS') return seeOther(leadingOn('/signin/mail-sent', fromUri));
  const { id, persistent } = await createSession(sessions, context, answer.sessionToken, readBrowserSession(headers));
  return seeOther(fromUri, [sessionCookie(id, persistent), device.cookie, clearedStateCookie()]);
}
