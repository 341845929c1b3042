import { expect, test } from 'vitest';
import { refusalOfVerifier } from './pkce.ts';

/** The code verifier and the code challenge in the example of RFC 7636 appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

test.each([
  ['the right one', CHALLENGE, VERIFIER, true, null],
  ['another one', CHALLENGE, VERIFIER.replace('d', 'e'), true, 'pkceVerificationFailed'],
  ['the challenge itself', CHALLENGE, CHALLENGE, true, 'pkceVerificationFailed'],
  ['one that is too short', CHALLENGE, VERIFIER.slice(1), true, 'pkceVerificationFailed'],
  ['one with a character that is not allowed', CHALLENGE, `${VERIFIER}+`, true, 'pkceVerificationFailed'],
  ['none', CHALLENGE, undefined, false, 'pkceMissingVerifier'],
  ['one without a challenge', null, VERIFIER, false, 'pkceVerifierWithoutChallenge'],
  ['neither, of a client with a proof', null, undefined, false, null],
  ['neither, of a public client', null, undefined, true, 'pkceVerificationFailed'],
] as const)('%s', (_, challenge, verifier, isPublic, refused) => {
  expect(refusalOfVerifier(challenge, verifier, isPublic)).toBe(refused);
});
