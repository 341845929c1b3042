import { type OAuthErrorCode, oauthDescription } from '../../../kernel/errors/oauth-errors.ts';
import { MAXIMUM_CLIENT_ID_LENGTH } from '../../../kernel/words/ids.ts';

export type Parameters = Readonly<Record<string, string>>;
export type Entries = readonly (readonly [name: string, value: string])[];

/** The rule of an app's sign-on policy that refuses a user, and its reason. */
export interface AppDenied {
  readonly policyId: string;
  readonly policyName: string;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly reason: string | null;
}

export interface Refusal {
  readonly refused: OAuthErrorCode;
  readonly description?: string;
  readonly app?: AppDenied;
}

/** Returns a refusal whose text contains the values in place of its placeholders. */
export const refusedWith = (refused: OAuthErrorCode, values: Readonly<Record<string, string>> = {}): Refusal => ({
  refused,
  description: oauthDescription(refused, values),
});

export const isRefused = (result: object): result is Refusal => 'refused' in result;

const DEFAULT_LENGTH = 2_048;

/** The known parameters and their maximum lengths in characters. */
export type Lengths = Readonly<Record<string, number>>;

const LENGTHS: Lengths = {
  client_id: MAXIMUM_CLIENT_ID_LENGTH,
  redirect_uri: DEFAULT_LENGTH,
  response_type: 64,
  response_mode: 64,
  scope: DEFAULT_LENGTH,
  state: 4_096,
  nonce: DEFAULT_LENGTH,
  code_challenge: DEFAULT_LENGTH,
  code_challenge_method: 64,
  dpop_jkt: 64,
  prompt: 64,
  max_age: 64,
  login_hint: 512,
  id_token_hint: 16_384,
  acr_values: DEFAULT_LENGTH,
  display: 64,
  ui_locales: 512,
  idp: 64,
  sessionToken: 512,
  request: 16_384,
  request_uri: DEFAULT_LENGTH,
};

/** By default, the known parameters are those of an authorization request. */
export const isParameter = (name: string, lengths = LENGTHS): boolean => Object.hasOwn(lengths, name);

/** Keeps the known parameters that have a value (RFC 6749 3.1). */
export function readParameters(entries: Entries, lengths = LENGTHS): Parameters | Refusal {
  const names = entries.map(([name]) => name);
  if (new Set(names).size !== names.length) return { refused: 'duplicateParameters' };
  const known = entries.filter(([name, value]) => isParameter(name, lengths) && value !== '');
  const tooLong = known.find(([name, value]) => value.length > (lengths[name] ?? 0));
  if (tooLong !== undefined) {
    return { refused: 'invalidRequest', description: `The '${tooLong[0]}' parameter is too long.` };
  }
  return Object.fromEntries(known);
}

/** If there is a request object, these parameters count only inside it (RFC 9101 6.3). */
const ONLY_SIGNED = /^(?:redirect_uri|response_.*|nonce|code_challenge.*|dpop_jkt)$/;

/** Keeps the parameters that count even outside the request object. */
export const besideObject = (parameters: Parameters): Parameters =>
  Object.fromEntries(Object.entries(withoutReference(parameters)).filter(([name]) => !ONLY_SIGNED.test(name)));

/** Removes the request object and the reference to a pushed request (RFC 9101 5, RFC 9126 4). */
export const withoutReference = (parameters: Parameters): Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => name !== 'request' && name !== 'request_uri'));

/** Keeps the parameters that are stored with a request. A session token is left out, because it is used only once. */
export const kept = (parameters: Parameters): Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => name !== 'sessionToken'));
