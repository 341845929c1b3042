import type { OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';
import { type ClientId, mayBeClientId } from '../../kernel/words/ids.ts';
import { JWT_BEARER } from './assertion-rules.ts';

/** Methods of client authentication (OpenID Connect Core 9). */
export type ClientAuthenticationMethod =
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'client_secret_jwt'
  | 'private_key_jwt'
  | 'none';

export type PresentedCredentials =
  | {
      readonly method: 'client_secret_basic' | 'client_secret_post';
      readonly clientId: ClientId;
      readonly secret: string;
    }
  | { readonly method: 'assertion'; readonly clientId: ClientId | null; readonly assertion: string }
  | { readonly method: 'none'; readonly clientId: ClientId };

export interface ClientRequest {
  readonly form: Readonly<Record<string, string>>;
  /** The complete Authorization header. */
  readonly authorization: string | undefined;
  readonly rawQuery: readonly (readonly [name: string, value: string])[];
}

const CREDENTIAL_PARAMETERS = ['client_id', 'client_secret', 'client_assertion', 'client_assertion_type'];

/** A parameter without a value counts as absent (RFC 6749 3.2). */
export const parameter = (form: Readonly<Record<string, string>>, name: string): string | undefined => {
  const value = Object.hasOwn(form, name) ? form[name] : undefined;
  return value === '' ? undefined : value;
};

/** Some published clients write a colon after the scheme. */
const BASIC = /^basic:? +([A-Za-z0-9+/]+={0,2})$/i;
/** The characters of a client id or secret, encoded or decoded: visible ASCII and space (RFC 6749 appendix A). */
const VISIBLE = /^[\x20-\x7e]+$/;

/**
 * Decodes a form value strictly. Returns null for a stray percent sign, invalid UTF-8, or a value that does not match
 * `VISIBLE`.
 */
function decodeFormValue(text: string): string | null {
  if (!VISIBLE.test(text) || /%(?![\dA-Fa-f]{2})/.test(text)) return null;
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return VISIBLE.test(decoded) ? decoded : null;
  } catch {
    return null;
  }
}

/** Decodes the Authorization header (RFC 6749 2.3.1). For an id alone, the secret is null. */
export function decodeBasic(authorization: string): { clientId: ClientId; secret: string | null } | null {
  const encoded = BASIC.exec(authorization)?.[1];
  if (encoded === undefined) return null;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return null;
  const text = bytes.toString('latin1');
  if (mayBeClientId(text)) return { clientId: text, secret: null };
  const colon = text.indexOf(':');
  if (colon < 1) return null;
  const clientId = decodeFormValue(text.slice(0, colon));
  const secret = decodeFormValue(text.slice(colon + 1));
  return clientId === null || secret === null ? null : { clientId, secret };
}

function readBasic(form: ClientRequest['form'], authorization: string): PresentedCredentials | OAuthErrorCode {
  const decoded = decodeBasic(authorization);
  if (decoded === null) return 'invalidBasicCredentials';
  const named = parameter(form, 'client_id');
  const { clientId, secret } = decoded;
  if (named !== undefined && named !== clientId) return 'invalidClientId';
  return secret === null ? { method: 'none', clientId } : { method: 'client_secret_basic', clientId, secret };
}

function readAssertion(form: ClientRequest['form']): PresentedCredentials | OAuthErrorCode {
  if (parameter(form, 'client_assertion_type') !== JWT_BEARER) return 'assertionTypeInvalid';
  const assertion = parameter(form, 'client_assertion');
  if (assertion === undefined) return 'missingClientCredentials';
  return { method: 'assertion', clientId: parameter(form, 'client_id') ?? null, assertion };
}

/** Credentials in the query are refused, because URLs end up in logs and browser histories. */
export const hasCredentialsInQuery = (rawQuery: ClientRequest['rawQuery']): boolean =>
  rawQuery.some(([name]) => CREDENTIAL_PARAMETERS.includes(name));

/**
 * Reads the credentials of a request. Refuses credentials in the query, and requests that use more than one way to
 * authenticate (RFC 6749 2.3).
 */
export function readCredentials(request: ClientRequest): PresentedCredentials | OAuthErrorCode {
  const { authorization, form, rawQuery } = request;
  if (hasCredentialsInQuery(rawQuery)) return 'clientCredentialsInQuery';
  const secret = parameter(form, 'client_secret');
  const hasAssertion = ['client_assertion', 'client_assertion_type'].some(
    (name) => parameter(form, name) !== undefined,
  );
  const ways = [authorization !== undefined, secret !== undefined, hasAssertion].filter(Boolean).length;
  if (ways > 1) return 'multipleClientCredentials';
  if (authorization !== undefined) return readBasic(form, authorization);
  if (hasAssertion) return readAssertion(form);
  const clientId = parameter(form, 'client_id');
  if (clientId === undefined) return 'missingClientCredentials';
  return secret === undefined ? { method: 'none', clientId } : { method: 'client_secret_post', clientId, secret };
}
