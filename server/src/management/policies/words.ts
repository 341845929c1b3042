import type { Context } from '../../kernel/context.ts';
import { BASE_PROFILE_ATTRIBUTES } from '../schemas/index.ts';
import type { PolicyWords } from './document-rules.ts';

const ATTRIBUTES: ReadonlySet<string> = new Set(Object.keys(BASE_PROFILE_ATTRIBUTES));

/** The words that documents are read with: the namespace's, and the attributes that users have. */
export const wordsOf = ({ namespace }: Context): PolicyWords => ({
  word: namespace.word,
  upperWord: namespace.upper,
  capitalisedWord: namespace.capitalised,
  attributes: ATTRIBUTES,
});
