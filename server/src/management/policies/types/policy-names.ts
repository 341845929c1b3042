import { attributeSight } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { BASE_PROFILE_ATTRIBUTES } from '../../schemas/index.ts';
import type { PolicyNames } from './document-rules.ts';

const ATTRIBUTES: ReadonlySet<string> = new Set(Object.keys(BASE_PROFILE_ATTRIBUTES));

/** Documents may name only the attributes that the caller may see. */
export function policyNamesOf(context: Context): PolicyNames {
  const { namespace } = context;
  const { reach, shows } = attributeSight(context);
  return {
    word: namespace.word,
    upperWord: namespace.upper,
    capitalisedWord: namespace.capitalised,
    attributes: reach === 'whole' ? ATTRIBUTES : new Set([...ATTRIBUTES].filter(shows)),
  };
}
