import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '../../crypto/secrets.ts';
import type { CookieHeaders } from './cookie-values.ts';
import { readFlowCookies } from './flow-cookie.ts';
import { isFromOwnPage } from './form-sender.ts';

/** Makes the token of a form on our own pages, for one browser and one purpose. */
export const formToken = (key: Buffer, flowValue: string, purpose: string): string =>
  createHmac('sha256', key).update(`${flowValue.length}:${flowValue}`).update(purpose).digest('base64url');

export interface PostedForm {
  readonly headers: CookieHeaders;
  /** The origin to which the request was sent. */
  readonly baseUrl: string;
  readonly purpose: string;
  readonly token: string | undefined;
}

/** Tells whether a form came from a page that was shown to this browser for this purpose. */
export function isOwnForm(key: Buffer, { baseUrl, headers, purpose, token }: PostedForm): boolean {
  if (token === undefined || !isFromOwnPage(headers, baseUrl)) return false;
  return readFlowCookies(headers).some((value) => constantTimeEqual(formToken(key, value, purpose), token));
}
