import { randomUUID } from 'node:crypto';
import { ApiError, apiError, type ErrorCause, newErrorBody } from '../../../kernel/errors/errors.ts';
import { OAuthError } from '../../../kernel/errors/oauth-errors.ts';
import { newErrorId } from '../../../kernel/words/ids.ts';

export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string;
  readonly errorId: string;
  /** Whether the error is a fault of this program. Only the server's log then shows the cause. */
  readonly unexpected: boolean;
}

const fromFramework: Readonly<Record<string, () => ApiError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => bodyTooLarge(),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => apiError('E0000002', { reason: 'the Content-Length is not valid' }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => apiError('E0000021'),
  FST_ERR_BAD_URL: () => apiError('E0000002', { reason: 'the URL is not well-formed' }),
  FST_ERR_MAX_PARAM_LENGTH: () => apiError('E0000002', { reason: 'the URL is too long' }, { status: 414 }),
  ECONNRESET: () => apiError('E0000002', { reason: 'the request was cut off' }),
};

/** Makes the 413 error for a body that is refused before it is parsed. */
export const bodyTooLarge = (): ApiError =>
  apiError('E0000002', { reason: 'the body is too large' }, { status: 413, headers: { connection: 'close' } });

/** Returns the refusal to report for a thrown error, or null if the error is unexpected. */
export function refusalOf(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? (fromFramework[code]?.() ?? null) : null;
}

/** The message of an unexpected error in /logs (contract section 3). */
const LOG_FAULT =
  "Sorry, there's been an error. We aren't sure what caused it, but we've logged this and will work to address it. " +
  'Please try your request again.';

/** For these statuses, a fault in a request to an OAuth endpoint is reported in the form of RFC 6749 5.2. */
const REQUEST_FAULTS: ReadonlySet<number> = new Set([400, 406, 411, 413, 415]);

const FAULT_NAMES = { oauth: 'invalid_request', registration: 'invalid_client_metadata' } as const;

function renderOAuth(error: unknown, shape: keyof typeof FAULT_NAMES): RenderedError | null {
  const rendered = (status: number, headers: RenderedError['headers'], body: unknown): RenderedError => ({
    status,
    headers,
    content: JSON.stringify(body),
    errorId: newErrorId(),
    unexpected: false,
  });
  if (error instanceof OAuthError) {
    return rendered(error.status, error.headers, { error: error.error, error_description: error.message });
  }
  const refusal = refusalOf(error);
  if (refusal === null || !REQUEST_FAULTS.has(refusal.status)) return null;
  const description = refusal.causes[0]?.errorSummary ?? refusal.message;
  return rendered(refusal.status, refusal.headers, { error: FAULT_NAMES[shape], error_description: description });
}

/**
 * Renders any error as the error object (specification 2.1). `log` is the shorter form of /logs. With `oauth` and
 * `registration`, OAuth errors and faults in the request get the form of RFC 6749 5.2.
 */
export function renderError(error: unknown, shape?: 'log' | 'oauth' | 'registration' | 'page'): RenderedError {
  const protocol = shape === 'oauth' || shape === 'registration' ? renderOAuth(error, shape) : null;
  if (protocol !== null) return protocol;
  const known = refusalOf(error);
  const fallback =
    shape === 'log' ? apiError('E0000053', { detail: LOG_FAULT }, { status: 500 }) : apiError('E0000009');
  const refusal = known ?? fallback;
  const errorId = shape === 'log' ? randomUUID() : newErrorId();
  const causes: readonly ErrorCause[] = refusal.causes;
  const body =
    shape === 'log'
      ? {
          errorCode: refusal.code,
          errorSummary: refusal.message,
          errorId,
          ...(causes.length > 0 ? { errorCauses: causes } : {}),
        }
      : newErrorBody(refusal, errorId);
  return {
    status: refusal.status,
    headers: refusal.headers,
    content: JSON.stringify(body),
    errorId,
    unexpected: known === null,
  };
}
