import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '../../crypto/secrets.ts';
import type { CookieHeaders } from './cookie-values.ts';
import { readFlowCookies } from './flow-cookie.ts';
import { isFromOwnPage } from './form-sender.ts';

/**
 * What a form of our own pages carries (design section 8): made for one browser and one purpose, good as long as the
 * browser keeps its flow cookie. `key`: the subkey of the master key for form tokens, so that every process takes what
 * another one gave.
 */
export const formToken = (key: Buffer, flowValue: string, purpose: string): string =>
  createHmac('sha256', key).update(`${flowValue.length}:${flowValue}`).update(purpose).digest('base64url');

export interface PostedForm {
  readonly headers: CookieHeaders;
  /** The org's own origin, by which the request came. */
  readonly baseUrl: string;
  readonly purpose: string;
  /** As the form gave it. */
  readonly token: string | undefined;
}

/** Whether a form came from a page that was shown to this very browser for this very purpose. */
export function isOwnForm(key: Buffer, { baseUrl, headers, purpose, token }: PostedForm): boolean {
  if (token === undefined || !isFromOwnPage(headers, baseUrl)) return false;
  return readFlowCookies(headers).some((value) => constantTimeEqual(formToken(key, value, purpose), token));
}
