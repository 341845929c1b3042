import type { Context } from '../../kernel/context.ts';
import { BASE_PROFILE_ATTRIBUTES } from '../schemas/index.ts';
import type { DiscoveryWords } from './discovery-rules.ts';

const ATTRIBUTES: ReadonlySet<string> = new Set(Object.keys(BASE_PROFILE_ATTRIBUTES));

/** The words that rules are read with: the namespace's, and the attributes that users have. */
export const wordsOf = ({ namespace }: Context): DiscoveryWords => ({
  upperWord: namespace.upper,
  capitalisedWord: namespace.capitalised,
  attributes: ATTRIBUTES,
});
