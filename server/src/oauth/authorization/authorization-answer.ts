import { randomBytes } from 'node:crypto';
import { OAUTH_ERRORS } from '../../kernel/errors/oauth-errors.ts';
import { type Answer, html } from '../../platform/http/index.ts';
import { problemPage, type View } from '../../platform/pages/index.ts';
import type { AuthorizationOutcome } from './authorize.ts';
import { renderFormPost, renderPostMessage } from './requests/page-rules.ts';
import type { Parameters, Refusal } from './requests/parameter-rules.ts';
import { originOfRedirect } from './requests/redirect-uri-rules.ts';
import type { ResponseMode } from './response-rules.ts';

/**
 * Authorization responses may contain codes or tokens, so browsers must not cache them or send their URLs in `Referer`.
 */
const PRIVATE = { 'Cache-Control': 'no-store', Pragma: 'no-cache', 'Referrer-Policy': 'no-referrer' };

interface Policy {
  readonly nonce: string;
  /** The origin that may frame this page. Absent means that no origin may. */
  readonly framedBy?: string;
  readonly sendsForm?: boolean;
}

/**
 * Clients that check the origin of a form need `strict-origin`. A page that posts a message must keep its opener.
 * `form-action` is left out for forms: it would also apply to later redirects, whose targets only the client knows.
 */
const bareHeaders = ({ framedBy, nonce, sendsForm = false }: Policy) => ({
  ...PRIVATE,
  'Referrer-Policy': 'strict-origin',
  'Cross-Origin-Opener-Policy': framedBy === undefined ? 'same-origin' : 'unsafe-none',
  'Content-Security-Policy': [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    ...(sendsForm ? [] : ["form-action 'none'"]),
    `frame-ancestors ${framedBy ?? "'none'"}`,
  ].join('; '),
  ...(framedBy === undefined ? { 'X-Frame-Options': 'DENY' } : {}),
});

type Headers = NonNullable<Answer['headers']>;

/** With 303, a browser that posted its request does not post it again to the client (RFC 9700 4.12). */
const seeOther = (location: string, headers: Headers): Answer => ({
  status: 303,
  body: null,
  headers: { ...PRIVATE, ...headers, Location: location },
});

/** Appends the parameters to the redirect URI, which otherwise stays unchanged. */
function withParameters(redirectUri: string, mode: 'query' | 'fragment', parameters: Parameters): string {
  const encoded = new URLSearchParams(parameters).toString();
  if (mode === 'fragment') return `${redirectUri}#${encoded}`;
  if (!redirectUri.includes('?')) return `${redirectUri}?${encoded}`;
  return /[?&]$/.test(redirectUri) ? redirectUri + encoded : `${redirectUri}&${encoded}`;
}

interface ToClient {
  readonly redirectUri: string;
  readonly mode: ResponseMode;
  readonly parameters: Parameters;
}

async function clientAnswer(
  { mode, parameters, redirectUri }: ToClient,
  headers: Headers,
  viewOf: () => Promise<View>,
): Promise<Answer> {
  if (mode === 'query' || mode === 'fragment') return seeOther(withParameters(redirectUri, mode, parameters), headers);
  const { language, t } = await viewOf();
  const word = { language, text: t('link.continue') };
  const nonce = randomBytes(18).toString('base64');
  if (mode === 'form_post') {
    const policy = bareHeaders({ nonce, sendsForm: true });
    return html(renderFormPost(redirectUri, parameters, nonce, word), { ...policy, ...headers });
  }
  const origin = originOfRedirect(redirectUri);
  if (origin === null) throw new Error('a message has no window to go to');
  const policy = bareHeaders({ nonce, framedBy: origin });
  return html(renderPostMessage(origin, parameters, nonce, word), { ...policy, ...headers });
}

/** Returns a page that submits an app's form again. Browsers omit our cookies from forms on other sites' pages. */
export function resendAnswer({ language, t }: View, path: string, parameters: Parameters): Answer {
  const nonce = randomBytes(18).toString('base64');
  return html(
    renderFormPost(path, parameters, nonce, { language, text: t('link.continue') }),
    bareHeaders({ nonce, sendsForm: true }),
  );
}

function refusedPage(view: View, { description, refused }: Refusal): Answer {
  const row = OAUTH_ERRORS[refused];
  return problemPage(view, {
    status: 400,
    title: view.t('request.title'),
    text: view.t(refused === 'requestExpired' ? 'request.over' : 'request.refused'),
    technical: { error: row.error, description: description ?? row.description },
    hasSecretAddress: true,
  });
}

export async function answerOf(outcome: AuthorizationOutcome, viewOf: () => Promise<View>): Promise<Answer> {
  if (outcome.to === 'page') {
    const view = await viewOf();
    return refusedPage({ ...view, cookies: [...view.cookies, ...outcome.cookies] }, outcome.refusal);
  }
  const headers: Headers = outcome.cookies.length === 0 ? {} : { 'Set-Cookie': [...outcome.cookies] };
  return outcome.to === 'client' ? clientAnswer(outcome, headers, viewOf) : seeOther(outcome.location, headers);
}
