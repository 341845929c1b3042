import type { ResponsePart } from '../response-rules.ts';
import { type Parameters, type Refusal, refusedWith } from './parameter-rules.ts';

/** A SHA-256 hash in base64url (RFC 7636 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
export const CODE_CHALLENGE_METHODS = ['S256'] as const;

/** Returns a refusal if neither a `state` nor a code challenge is present (RFC 6749 10.12, RFC 9700 2.1). */
export const refusalOfState = (parameters: Parameters): Refusal | null =>
  parameters['state'] === undefined && parameters['code_challenge'] === undefined ? { refused: 'invalidState' } : null;

/** Returns a refusal if the response contains an ID token but the request has no nonce (OIDC Core 3.2.2.1). */
export const refusalOfNonce = (parameters: Parameters, parts: readonly ResponsePart[]): Refusal | null =>
  parts.includes('id_token') && parameters['nonce'] === undefined ? { refused: 'invalidNonce' } : null;

/** Refuses `plain`, the default for a missing method (RFC 7636 4.3). */
export function refusalOfChallenge(
  { code_challenge: challenge, code_challenge_method: method }: Parameters,
  isRequired: boolean,
): Refusal | null {
  if (challenge === undefined) {
    return isRequired || method !== undefined ? { refused: 'pkceMissingChallenge' } : null;
  }
  if (!CODE_CHALLENGE_METHODS.some((known) => known === method)) {
    return refusedWith('pkceUnsupportedMethod', { methods: CODE_CHALLENGE_METHODS.join(', ') });
  }
  return CHALLENGE.test(challenge) ? null : { refused: 'pkceInvalidChallenge' };
}

/** Checks the form of `dpop_jkt`, the thumbprint of the key that the code will be bound to (RFC 9449 10). */
export const refusalOfThumbprint = ({ dpop_jkt: thumbprint }: Parameters): Refusal | null =>
  thumbprint === undefined || CHALLENGE.test(thumbprint) ? null : { refused: 'invalidRequest' };

export const PROMPTS = ['none', 'login', 'consent', 'login consent', 'select_account'] as const;
/** The values of `prompt` that ask the user to act. */
const ASKING: ReadonlySet<string> = new Set(['login', 'consent', 'select_account']);

export interface Prompt {
  readonly isNone: boolean;
  readonly words: readonly string[];
  /** Null means that the request contains no `max_age`. */
  readonly maximumAgeSeconds: number | null;
}

const MAXIMUM_AGE = 2 ** 31 - 1;

/** Reads `prompt` and `max_age`, which say when the user must act again (OpenID Connect Core 3.1.2.1). */
export function readPrompt({ max_age: maxAge, prompt }: Parameters): Prompt | Refusal {
  const words = [...new Set((prompt ?? '').split(' ').filter((word) => word !== ''))].toSorted().toReversed();
  const isKnown = words.every((word) => ASKING.has(word)) || (words.length === 1 && words[0] === 'none');
  if (!isKnown) return refusedWith('invalidPrompt', { prompts: PROMPTS.join(', ') });
  const isNone = words.includes('none');
  if (maxAge === undefined) return { isNone, words, maximumAgeSeconds: null };
  const seconds = /^\d{1,10}$/.test(maxAge) ? Number(maxAge) : Number.NaN;
  if (!(seconds <= MAXIMUM_AGE)) return { refused: 'invalidMaxAge' };
  if (isNone && seconds === 0) return { refused: 'promptNoneWithZeroMaxAge' };
  return { isNone, words, maximumAgeSeconds: seconds };
}

export const isRecent = (authTime: Date, ageSeconds: number, now: Date): boolean =>
  ageSeconds > 0 && now.getTime() - authTime.getTime() <= ageSeconds * 1_000;

/** The endings of the levels of assurance that one factor reaches. `outOfReach` lists the other levels. */
const REACHED = ['1fa:any', '1fa:pwd', '2fa:any:ifpossible'];
const outOfReach = (word: string): readonly string[] => [`urn:${word}:loa:2fa:any`, 'phr', 'phrh'];

export const acrValues = (word: string): readonly string[] => REACHED.map((level) => `urn:${word}:loa:${level}`);

/**
 * Chooses the first requested level that a sign-in can reach, or null. Refuses a request that names levels out of reach
 * and none within reach, so that no client mistakes one factor for two.
 */
export function readAcr({ acr_values: given }: Parameters, word: string): { readonly acr: string | null } | Refusal {
  const asked = (given ?? '').split(' ').filter((value) => value !== '');
  const reached = acrValues(word);
  const acr = asked.find((value) => reached.includes(value)) ?? null;
  const isOutOfReach = asked.some((value) => outOfReach(word).includes(value));
  return acr === null && isOutOfReach ? { refused: 'unsupportedAssurance' } : { acr };
}
