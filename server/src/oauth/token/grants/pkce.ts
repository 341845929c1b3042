import { createHash } from 'node:crypto';
import type { OAuthErrorCode } from '../../../kernel/errors/oauth-errors.ts';
import { constantTimeEqual } from '../../../platform/crypto/secrets.ts';

/** The form of a code verifier (RFC 7636 4.1). */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/**
 * Returns null if the verifier matches the S256 challenge (RFC 7636 4.6), or if a client with credentials did not use
 * PKCE.
 */
export function refusalOfVerifier(
  challenge: string | null,
  verifier: string | undefined,
  isPublicClient: boolean,
): OAuthErrorCode | null {
  if (challenge === null && verifier !== undefined) return 'pkceVerifierWithoutChallenge';
  // Without a challenge, nothing shows that a public client is the one that sent the authorization request.
  if (challenge === null) return isPublicClient ? 'pkceVerificationFailed' : null;
  if (verifier === undefined) return 'pkceMissingVerifier';
  const isRight =
    VERIFIER.test(verifier) &&
    constantTimeEqual(challenge, createHash('sha256').update(verifier, 'ascii').digest('base64url'));
  return isRight ? null : 'pkceVerificationFailed';
}
