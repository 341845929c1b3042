import type { OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';

export interface ResourceRequest {
  /** The complete Authorization header. */
  readonly authorization: string | undefined;
  readonly dpopProof: string | undefined;
  readonly form: Readonly<Record<string, string | undefined>>;
  readonly rawQuery: readonly (readonly [name: string, value: string])[];
}

export interface PresentedAccessToken {
  readonly scheme: 'Bearer' | 'DPoP';
  readonly token: string;
}

const CREDENTIAL = /^(bearer|dpop) +(\S+) *$/i;

/** There must be exactly one token, and it must not be in the URL (RFC 6750 2). */
export function readAccessToken({
  authorization,
  form,
  rawQuery,
}: ResourceRequest): PresentedAccessToken | OAuthErrorCode {
  if (rawQuery.some(([name]) => name === 'access_token')) return 'accessTokenInQuery';
  const inForm = form['access_token'] === '' ? undefined : form['access_token'];
  if (authorization === undefined) {
    return inForm === undefined ? 'accessTokenMissing' : { scheme: 'Bearer', token: inForm };
  }
  if (inForm !== undefined) return 'accessTokenTwice';
  const [, scheme = '', token = ''] = CREDENTIAL.exec(authorization) ?? [];
  if (scheme === '') return 'accessTokenInvalid';
  return { scheme: scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', token };
}
