import type { ClientId } from '../../kernel/words/ids.ts';
/** The parameters of a logout request (OIDC RP-Initiated Logout 1.0 2), and our form token; null means absent. */
export interface LogoutRequest {
  readonly idTokenHint: string | null;
  readonly redirectUri: string | null;
  readonly state: string | null;
  readonly clientId: ClientId | null;
  readonly formToken: string | null;
}

type Parameters = Readonly<Partial<Record<string, string | undefined>>>;

/** An empty parameter counts as absent (RFC 6749 3.1). */
const given = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text);

export const readLogoutRequest = (parameters: Parameters): LogoutRequest => ({
  idTokenHint: given(parameters['id_token_hint']),
  redirectUri: given(parameters['post_logout_redirect_uri']),
  state: given(parameters['state']),
  clientId: given(parameters['client_id']),
  formToken: given(parameters['form_token']),
});

/** Adds the `state` parameter to the address of the redirect. */
export function redirectTarget({ redirectUri, state }: Pick<LogoutRequest, 'redirectUri' | 'state'>): string | null {
  if (redirectUri === null || state === null) return redirectUri;
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}state=${encodeURIComponent(state)}`;
}

/** The claims of an ID token hint whose signature was verified. */
export interface Hint {
  readonly issuer: string;
  readonly clientId: ClientId;
  readonly subject: string;
  /** The public id of the session. */
  readonly sessionId: string | null;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Returns null unless the claims have the form that our ID tokens have. The ID token may have expired. */
export function readHint(claims: Readonly<Record<string, unknown>>): Hint | null {
  const { aud, iss, jti, sid, sub } = claims;
  if (!isText(iss) || !isText(aud) || !isText(sub) || !isText(jti) || !jti.startsWith('ID.')) return null;
  if (sid !== undefined && !isText(sid)) return null;
  return { issuer: iss, clientId: aud, subject: sub, sessionId: sid ?? null };
}

export const isAbout = (
  hint: Hint,
  session: { readonly userId: string; readonly externalSessionId: string },
): boolean =>
  hint.subject === session.userId && (hint.sessionId === null || hint.sessionId === session.externalSessionId);
