import { invalid } from '../../kernel/errors/errors.ts';
import type { Members } from '../../kernel/words/members.ts';
import { thumbprintOf } from '../client-authentication/verify-signature.ts';

export function checkStoredServerKey({ algorithm, kid, public_jwk: jwk }: Members): void {
  if (algorithm !== 'RS256') throw invalid('algorithm', 'must be RS256.');
  const { e, kty, n, ...others } = jwk as Members;
  const isNumber = (text: unknown): boolean => typeof text === 'string' && /^[\w-]{2,1400}$/.test(text);
  if (kty !== 'RSA' || !isNumber(e) || !isNumber(n) || Object.keys(others).length > 0) {
    throw invalid('public_jwk', 'must be an RSA key and nothing else.');
  }
  if (thumbprintOf({ kty, e, n }) !== kid) throw invalid('kid', 'must be the thumbprint of the key.');
}
