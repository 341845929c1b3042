import { ARRAY_FUNCTIONS, ARRAY_METHODS } from '../functions/array-functions.ts';
import { CONVERT_FUNCTIONS, CONVERT_METHODS } from '../functions/convert-functions.ts';
import { COUNTRY_FUNCTIONS } from '../functions/country-functions.ts';
import { type FunctionTable, joinedTables, type MethodTable } from '../functions/functions.ts';
import { GROUP_LIST_FUNCTIONS, MEMBERSHIP_FUNCTIONS } from '../functions/group-functions.ts';
import { STRING_FUNCTIONS, STRING_METHODS } from '../functions/string-functions.ts';
import { INSTANT_METHODS, TIME_FUNCTIONS, TIME_STRING_METHODS } from '../functions/time-functions.ts';
import type { Member } from './types.ts';

export interface Symbols {
  /** Variables such as `user`, `appuser` and `org`, by name. */
  readonly variables: ReadonlyMap<string, Member>;
  readonly functions: FunctionTable;
  readonly methods: MethodTable;
  /** Whether `user.isMemberOf({...})` is available. */
  readonly groups: boolean;
}

/** Parts of the language that `symbolsOf` adds on request. Functions outside these parts are always available. */
export type LanguagePart = 'membership' | 'groupLists' | 'time';

const PLAIN = joinedTables(STRING_FUNCTIONS, ARRAY_FUNCTIONS, CONVERT_FUNCTIONS, COUNTRY_FUNCTIONS);
const PARTS: Readonly<Record<LanguagePart, FunctionTable>> = {
  membership: MEMBERSHIP_FUNCTIONS,
  groupLists: GROUP_LIST_FUNCTIONS,
  time: TIME_FUNCTIONS,
};

/** This table contains all functions, so that an error can say that a known function is not available here. */
const ALL_FUNCTIONS = joinedTables(PLAIN, ...Object.values(PARTS));

export const isKnownElsewhere = (name: string): boolean => ALL_FUNCTIONS.has(name);

export function symbolsOf(variables: ReadonlyMap<string, Member>, parts: readonly LanguagePart[]): Symbols {
  const hasTime = parts.includes('time');
  return {
    variables,
    functions: joinedTables(PLAIN, ...parts.map((part) => PARTS[part])),
    methods: new Map([
      ['string', joinedTables(STRING_METHODS, CONVERT_METHODS, ...(hasTime ? [TIME_STRING_METHODS] : []))],
      ['number', CONVERT_METHODS],
      ['integer', CONVERT_METHODS],
      ['array', ARRAY_METHODS],
      ...(hasTime ? ([['instant', INSTANT_METHODS]] as const) : []),
    ]),
    groups: parts.includes('membership'),
  };
}
