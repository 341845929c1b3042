/**
 * The forms of the word that replaces the vendor's name on the wire (contract section 1). The default word is `svc`.
 */
export interface Namespace {
  /** The word in lower case, for example in scopes, paths and link relations. */
  readonly word: string;
  /** The word in upper case, for enum values such as the provider type. */
  readonly upper: string;
  /** The word with a capital first letter (`Svc`), for example in names of properties and headers. */
  readonly capitalised: string;
  readonly headerPrefix: string;
}

export const DEFAULT_NAMESPACE_WORD = 'svc';

/** Makes the namespace from a word that matches `[a-z][a-z0-9]*`. */
export function namespaceOf(word: string): Namespace {
  const capitalised = word.charAt(0).toUpperCase() + word.slice(1);
  return Object.freeze({ word, upper: word.toUpperCase(), capitalised, headerPrefix: `X-${capitalised}-` });
}
