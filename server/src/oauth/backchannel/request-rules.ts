import { isRefused, type Lengths, type Parameters, type Refusal } from '../authorization/requests/parameter-rules.ts';
import { readAcr } from '../authorization/requests/request-rules.ts';
import { askedScopes } from '../token/scope-rules.ts';

/** The known parameters (CIBA Core 7.1, contract) and their maximum lengths in characters. */
export const BACKCHANNEL_PARAMETERS: Lengths = {
  scope: 2_048,
  acr_values: 2_048,
  login_hint: 512,
  id_token_hint: 16_384,
  login_hint_token: 16_384,
  binding_message: 2_048,
  requested_expiry: 64,
  request_expiry: 64,
  request: 16_384,
};

/** Parameters that a signed request may contain as numbers. */
export const BACKCHANNEL_NUMBERS: readonly string[] = ['requested_expiry', 'request_expiry'];

/** The maximum of `expires_in` in the contract. */
const MAXIMUM_LIFETIME_SECONDS = 300;
const MAXIMUM_MESSAGE_CHARACTERS = 100;

export type UserHint = { readonly login: string } | { readonly idToken: string };

/** The hint may match no user. */
export interface BackchannelRequest {
  readonly hint: UserHint;
  readonly scopes: readonly string[];
  readonly bindingMessage: string | null;
  readonly acr: string | null;
  readonly lifetimeSeconds: number;
}

/** Exactly one hint is required (CIBA Core 7.1). This service cannot read a third party's `login_hint_token`. */
function readHint(parameters: Parameters): UserHint | Refusal {
  const { id_token_hint: idToken, login_hint: login, login_hint_token: token } = parameters;
  if (token !== undefined || (login === undefined) === (idToken === undefined)) return { refused: 'backchannelHint' };
  return login === undefined ? { idToken: idToken ?? '' } : { login };
}

function readScopes({ scope }: Parameters): readonly string[] | Refusal {
  if (scope === undefined) return { refused: 'backchannelScopesMissing' };
  const named = askedScopes(scope);
  if ('refused' in named) return named;
  return named.scopes.includes('openid') ? named.scopes : { refused: 'backchannelScope' };
}

/**
 * Users compare the message with the one that the app shows, so it must be one short line without invisible characters.
 */
function readMessage({ binding_message: message }: Parameters): string | null | Refusal {
  if (message === undefined) return null;
  const isShown = !/[\p{C}\p{Zl}\p{Zp}]/u.test(message) && message.trim() !== '';
  return isShown && message.length <= MAXIMUM_MESSAGE_CHARACTERS ? message : { refused: 'invalidBindingMessage' };
}

function readLifetime(parameters: Parameters): number | Refusal {
  const { request_expiry: ours, requested_expiry: wished = ours } = parameters;
  if (wished === undefined) return MAXIMUM_LIFETIME_SECONDS;
  const isOne = ours === undefined || ours === wished;
  if (!isOne || !/^[1-9]\d{0,9}$/.test(wished)) return { refused: 'invalidRequest' };
  return Math.min(Number(wished), MAXIMUM_LIFETIME_SECONDS);
}

const isRefusal = (read: unknown): read is Refusal => typeof read === 'object' && read !== null && 'refused' in read;

export function readBackchannelRequest(parameters: Parameters, word: string): BackchannelRequest | Refusal {
  const scopes = readScopes(parameters);
  if (isRefusal(scopes)) return scopes;
  const hint = readHint(parameters);
  if (isRefused(hint)) return hint;
  const bindingMessage = readMessage(parameters);
  if (isRefusal(bindingMessage)) return bindingMessage;
  const lifetimeSeconds = readLifetime(parameters);
  if (isRefusal(lifetimeSeconds)) return lifetimeSeconds;
  const assurance = readAcr(parameters, word);
  return isRefused(assurance) ? assurance : { hint, scopes, bindingMessage, lifetimeSeconds, ...assurance };
}
