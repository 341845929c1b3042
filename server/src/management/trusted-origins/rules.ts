import { invalid } from '../../kernel/errors/errors.ts';
import { notOneOf, notValid, required, tooLong } from '../../kernel/errors/field-errors.ts';
import type { Problem } from '../../kernel/errors/problems.ts';
import { readLine } from '../../kernel/texts/written-text.ts';

export const SCOPE_TYPES = ['CORS', 'REDIRECT', 'IFRAME_EMBED'] as const;
export type ScopeType = (typeof SCOPE_TYPES)[number];

/**
 * IFRAME_EMBED is only stored, because the pages for users may not be framed. `endUserPages` belongs to IFRAME_EMBED
 * alone.
 */
export interface TrustedOriginScope {
  readonly type: ScopeType;
  readonly endUserPages?: true;
}

export const MAXIMUM_TEXT_LENGTH = 255;

const HOST = /^(?:\[[\da-f:.]+\]|[a-z\d-]+(?:\.[a-z\d-]+)*)$/;

/**
 * Reads an origin, which must be written as browsers send it. One slash at the end is dropped, because some clients add
 * it.
 */
export function readOrigin(text: string): string {
  const refuse = (cause: Problem) => invalid('origin', cause);
  if (text.length > MAXIMUM_TEXT_LENGTH) throw tooLong('origin', MAXIMUM_TEXT_LENGTH);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw notValid('origin');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse('must have the scheme http or https.');
  if (!HOST.test(url.hostname)) throw refuse('must have one host name or address, without wildcards.');
  if (url.origin !== text && `${url.origin}/` !== text) {
    throw refuse(`must be the origin only, as browsers send it (${url.origin}).`);
  }
  return url.origin;
}

/** Accepts the stored name even if it is not valid. */
export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_TEXT_LENGTH, stored);

const isScopeType = (type: unknown): type is ScopeType => SCOPE_TYPES.some((known) => known === type);

function readScope(scope: Readonly<Record<string, unknown>>, capitalisedWord: string): TrustedOriginScope {
  const { type } = scope;
  if (!isScopeType(type)) throw notOneOf('scopes.type', SCOPE_TYPES);
  const property = `allowed${capitalisedWord}Apps`;
  const apps = scope[property] ?? [];
  const endUserPages = `${capitalisedWord.toUpperCase()}_ENDUSER`;
  if (!Array.isArray(apps) || apps.some((app) => app !== endUserPages)) {
    throw invalid(`scopes.${property}`, `must contain ${endUserPages} only.`);
  }
  if (apps.length === 0) return { type };
  if (type !== 'IFRAME_EMBED') throw invalid(`scopes.${property}`, 'belongs to the type IFRAME_EMBED.');
  return { type, endUserPages: true };
}

export function readScopes(
  scopes: readonly Readonly<Record<string, unknown>>[],
  capitalisedWord: string,
): TrustedOriginScope[] {
  const read = scopes.map((scope) => readScope(scope, capitalisedWord));
  if (read.length === 0) throw required('scopes');
  if (new Set(read.map(({ type }) => type)).size < read.length) {
    throw invalid('scopes', 'must have each type once.');
  }
  return read;
}

export const wireScopes = (scopes: readonly TrustedOriginScope[], capitalisedWord: string): Record<string, unknown>[] =>
  scopes.map(({ type, endUserPages }) =>
    endUserPages === true
      ? { type, [`allowed${capitalisedWord}Apps`]: [`${capitalisedWord.toUpperCase()}_ENDUSER`] }
      : { type },
  );
