import { nameKey } from '../../kernel/texts/text.ts';
import { ANY, BOOLEAN, INTEGER, STRING, STRINGS, type Value } from '../language/types.ts';
import type { Pattern, PatternCompiler, PatternProblem } from '../pattern.ts';
import {
  type CallContext,
  type FunctionDefinition,
  functionTable,
  type GroupFact,
  listOf,
  numberOf,
  type Prepared,
  question,
  textOf,
} from './functions.ts';

const PATTERN_PROBLEMS: Readonly<Record<PatternProblem, string>> = {
  length: 'the regular expression is too long',
  size: 'the regular expression is too complex',
  syntax: 'the regular expression must have RE2 syntax',
};

export function preparePattern(text: Value | undefined, patterns: PatternCompiler): Prepared {
  if (typeof text !== 'string') return { refused: 'the regular expression must be a literal' };
  const compiled = patterns.compile(text);
  return compiled.ok ? { prepared: compiled.pattern } : { refused: PATTERN_PROBLEMS[compiled.problem] };
}

const isPattern = (prepared: unknown): prepared is Pattern =>
  typeof prepared === 'object' && prepared !== null && 'matches' in prepared;

/** Tests whether a prepared pattern matches the whole text. */
export function matchesPattern(text: string, { meter, prepared }: Pick<CallContext, 'meter' | 'prepared'>): boolean {
  meter.read(text.length * 8);
  return isPattern(prepared) && prepared.matches(text);
}

const someGroup = (
  parameters: FunctionDefinition['parameters'],
  like: (group: GroupFact, given: readonly Value[], context: CallContext) => boolean,
  more: Partial<FunctionDefinition> = {},
): FunctionDefinition => ({
  parameters,
  result: BOOLEAN,
  asks: 'groups',
  call: question((given, context) => {
    context.meter.step(context.groups.length);
    return context.groups.some((group) => like(group, given, context));
  }),
  ...more,
});

const byName = (like: (name: string, asked: string) => boolean): FunctionDefinition =>
  someGroup([STRING], ({ name }, [asked]) => like(nameKey(name), nameKey(textOf(asked))));

const isMemberOfAnyGroup: FunctionDefinition = {
  parameters: [],
  rest: STRING,
  minimumRest: 1,
  result: BOOLEAN,
  asks: 'groups',
  call: (given, { groups, meter }) => {
    meter.step(groups.length);
    const asked = new Set(given);
    return groups.some(({ id }) => asked.has(id));
  },
};

/** The `isMemberOf...` functions. Comparisons of names are case-sensitive. */
export const MEMBERSHIP_FUNCTIONS = functionTable({
  isMemberOfAnyGroup,
  isMemberOfGroup: someGroup([STRING], ({ id }, [asked]) => id === asked),
  isMemberOfGroupName: byName((name, asked) => name === asked),
  isMemberOfGroupNameContains: byName((name, asked) => name.includes(asked)),
  isMemberOfGroupNameRegex: someGroup([STRING], ({ name }, _given, context) => matchesPattern(name, context), {
    prepare: ([pattern], patterns) => preparePattern(pattern, patterns),
  }),
  isMemberOfGroupNameStartsWith: byName((name, asked) => name.startsWith(asked)),
});

const SHOWN: ReadonlyMap<string, (group: GroupFact) => string> = new Map([
  ['group.id', ({ id }: GroupFact) => id],
  ['group.name', ({ name }: GroupFact) => name],
  ['group.profile.name', ({ name }: GroupFact) => name],
  ['group.type', ({ type }: GroupFact) => type],
]);

const shownPart: NonNullable<FunctionDefinition['prepare']> = ([, part]) => {
  const prepared = typeof part === 'string' ? SHOWN.get(part) : undefined;
  return prepared === undefined ? { refused: `must be one of ${[...SHOWN.keys()].join(', ')}` } : { prepared };
};

/** A list contains at most this many groups, because the lists go into tokens. */
const MAXIMUM_LISTED_GROUPS = 100;

function listed(groups: readonly GroupFact[], limit: Value | undefined, context: CallContext): readonly GroupFact[] {
  const kept = groups.slice(0, Math.max(0, Math.min(numberOf(limit), MAXIMUM_LISTED_GROUPS)));
  context.meter.step(context.groups.length);
  context.meter.array(kept.length);
  return kept;
}

const namesLike = (like: (name: string, asked: string) => boolean): FunctionDefinition => ({
  parameters: [STRING, STRING, INTEGER],
  result: STRINGS,
  asks: 'groups',
  call: ([source, asked, limit], context) => {
    const found = context.groups.filter(
      (group) => group.source === source && like(nameKey(group.name), nameKey(textOf(asked))),
    );
    return listed(found, limit, context).map(({ name }) => name);
  },
});

export const GROUP_LIST_FUNCTIONS = functionTable({
  getFilteredGroups: {
    parameters: [STRINGS, STRING, INTEGER],
    result: STRINGS,
    asks: 'groups',
    prepare: shownPart,
    call: ([ids, , limit], context) => {
      const asked = new Set(listOf(ids));
      const shown = context.prepared;
      const found = context.groups.filter(({ id }) => asked.has(id));
      return listed(found, limit, context).map((group) => (typeof shown === 'function' ? String(shown(group)) : ''));
    },
  },
  'Groups.contains': namesLike((name, asked) => name.includes(asked)),
  'Groups.endsWith': namesLike((name, asked) => name.endsWith(asked)),
  'Groups.startsWith': namesLike((name, asked) => name.startsWith(asked)),
});

export const CRITERIA: ReadonlySet<string> = new Set(['group.id', 'group.type', 'group.profile.name', 'operator']);

const valuesOf = (value: Value | undefined): readonly Value[] => (Array.isArray(value) ? value : [value ?? null]);

function fits(group: GroupFact, criteria: ReadonlyMap<string, Value>): boolean {
  const isExact = criteria.get('operator') === 'EXACT';
  return [...criteria].every(([key, value]) => {
    const asked = valuesOf(value);
    if (key === 'group.id') return asked.includes(group.id);
    if (key === 'group.type') return asked.includes(group.type);
    if (key !== 'group.profile.name') return true;
    const own = nameKey(group.name);
    const isLike = (name: string): boolean => name === own || (!isExact && own.startsWith(name));
    return asked.some((name) => name !== null && isLike(nameKey(textOf(name))));
  });
}

/** The function `user.isMemberOf({...}, ...)`, which is true if one group meets all criteria in `prepared`. */
export const IS_MEMBER_OF: FunctionDefinition = {
  parameters: [],
  rest: ANY,
  result: BOOLEAN,
  asks: 'groups',
  call: (_given, { groups, meter, prepared }) => {
    if (!Array.isArray(prepared)) return false;
    const criteria = prepared as readonly ReadonlyMap<string, Value>[];
    meter.step(groups.length * criteria.length);
    return groups.some((group) => criteria.every((one) => fits(group, one)));
  },
};
