import { invalid } from '../../../kernel/errors/errors.ts';
import { readLine } from '../../../kernel/texts/written-text.ts';
import { MAXIMUM_TEXT_LENGTH, type Members, readChoice, readFlag } from '../../../kernel/words/members.ts';
import { DEFAULT_NAMESPACE_WORD } from '../../../kernel/words/namespace.ts';
import { ANY_SCOPE } from '../policies/policy-rules.ts';
import { gather, readOptionalText, readText } from '../rules/shape-rules.ts';

export const SCOPE_CONSENTS = ['IMPLICIT', 'REQUIRED', 'FLEXIBLE'] as const;
export type ScopeConsent = (typeof SCOPE_CONSENTS)[number];

export const METADATA_PUBLISHES = ['ALL_CLIENTS', 'NO_CLIENTS'] as const;
export type MetadataPublish = (typeof METADATA_PUBLISHES)[number];

const MAXIMUM_DESCRIPTION_LENGTH = 1_024;

export interface ScopeValues {
  readonly name: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly metadataPublish: MetadataPublish;
  readonly consent: ScopeConsent;
  /** Whether users may decline the scope when asked for consent. */
  readonly isOptional: boolean;
  /** Whether a request that names no scopes gets this scope. A request without a user gets no system scopes. */
  readonly isDefault: boolean;
}

/** The form of a scope's name (RFC 6749 3.3). */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

const isOfApi = (name: string, word: string): boolean =>
  name === word || name.startsWith(`${word}.`) || name.startsWith(`${word}:`);

function readScopeName(value: unknown, namespaceWord: string, nameBefore: string | undefined): string {
  const name = readText('name', value, MAXIMUM_TEXT_LENGTH);
  if (!SCOPE_TOKEN.test(name)) {
    throw invalid('name', 'must contain visible ASCII characters only, without " and \\.');
  }
  if (name === nameBefore) return name;
  if (name === ANY_SCOPE) throw invalid('name', 'must not be *, which means any scope in policy rules.');
  // Only the org's own server issues scopes of the API (specification 5).
  const word = [namespaceWord, DEFAULT_NAMESPACE_WORD].find((one) => isOfApi(name.toLowerCase(), one));
  if (word !== undefined) {
    throw invalid('name', `${word}, ${word}. and ${word}: belong to the scopes of the API.`);
  }
  return name;
}

function readDisplayName(value: unknown, stored: string | null): string | null {
  const text = readOptionalText('displayName', value, MAXIMUM_TEXT_LENGTH, stored);
  return text === null ? null : readLine('displayName', text, MAXIMUM_TEXT_LENGTH, stored);
}

/** `before` is the scope that the body replaces. */
export const readScope = (
  body: Members,
  namespaceWord: string,
  before?: Pick<ScopeValues, 'name' | 'displayName'> & Partial<ScopeValues>,
): ScopeValues =>
  gather<ScopeValues>({
    name: () => readScopeName(body['name'], namespaceWord, before?.name),
    displayName: () => readDisplayName(body['displayName'], before?.displayName ?? null),
    description: () =>
      readOptionalText('description', body['description'], MAXIMUM_DESCRIPTION_LENGTH, before?.description),
    metadataPublish: () => readChoice('metadataPublish', body['metadataPublish'], METADATA_PUBLISHES, 'NO_CLIENTS'),
    consent: () => readChoice('consent', body['consent'], SCOPE_CONSENTS, 'IMPLICIT'),
    isOptional: () => readFlag('optional', body['optional'], false),
    isDefault: () => readFlag('default', body['default'], false),
  });

export function assertSystemScopeKeeps(before: ScopeValues, after: ScopeValues): void {
  if (after.name !== before.name) throw invalid('name', 'cannot be changed in a system scope.');
  if (after.consent !== 'IMPLICIT') throw invalid('consent', 'must be IMPLICIT for a system scope.');
  if (after.isOptional) throw invalid('optional', 'must be false for a system scope.');
}
