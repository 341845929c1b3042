import { invalid } from '../../kernel/errors/errors.ts';
import { required, tooLong } from '../../kernel/errors/field-errors.ts';

/** The link relation (`rel`) of the org's own entry in the response (OpenID Connect Discovery 2). */
export const ISSUER_RELATION = 'http://openid.net/specs/connect/1.0/issuer';

const MAXIMUM_LOGIN_LENGTH = 1_000;

/** Reads the requested login from `<word>:acct:<login>` (contract section 12). */
export function readLogin(resources: readonly string[], word: string): string {
  const [resource] = resources;
  if (resource === undefined) throw required('resource');
  if (resources.length > 1) throw invalid('resource', 'must be given exactly once.');
  const prefix = `${word}:acct:`;
  // URI schemes are case-insensitive (RFC 3986 3.1).
  const login = resource.slice(0, prefix.length).toLowerCase() === prefix ? resource.slice(prefix.length).trim() : '';
  if (login === '') throw invalid('resource', `must be ${prefix}<login>.`);
  if (login.length > MAXIMUM_LOGIN_LENGTH) {
    throw tooLong('resource', MAXIMUM_LOGIN_LENGTH);
  }
  return login;
}

export interface WantedRelations {
  readonly provider: boolean;
  readonly issuer: boolean;
}

/** Returns null if no relation is requested, so that only the rules decide. */
export function readRelations(relations: readonly string[], word: string): WantedRelations | null {
  if (relations.length === 0) return null;
  const provider = `${word}:idp`;
  const unknown = relations.find((relation) => relation !== provider && relation !== ISSUER_RELATION);
  if (unknown !== undefined) throw invalid('rel', `must be ${provider} or ${ISSUER_RELATION}.`);
  return { provider: relations.includes(provider), issuer: relations.includes(ISSUER_RELATION) };
}
