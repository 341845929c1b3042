import { invalid } from '../../../kernel/errors/errors.ts';
import { notOneOf, required, wrongType } from '../../../kernel/errors/field-errors.ts';
import {
  isAbsent,
  MAXIMUM_TEXT_LENGTH,
  type Members,
  readChoice,
  readFlag,
  readInteger,
  readItems,
  unsupported,
} from '../../../kernel/words/members.ts';
import { gather } from '../conditions/gather-rules.ts';
import { readText } from '../conditions/shape-rules.ts';

/** In templates, `{word}` and `{WORD}` stand for the first two members. */
export interface PolicyNames {
  readonly word: string;
  readonly upperWord: string;
  readonly capitalisedWord: string;
  /** The names of the profile attributes that a rule may read. */
  readonly attributes: ReadonlySet<string>;
}

export type ReferenceKind = 'user' | 'group' | 'zone' | 'app' | 'provider' | 'userType';

export interface Reference {
  readonly kind: ReferenceKind;
  readonly id: string;
  readonly place: string;
}

export interface Shape<Stored> {
  /** Throws 400 E0000001 for an invalid value. */
  read(place: string, value: unknown, words: PolicyNames): Stored;
  /** Returns undefined if the API does not show the part. */
  write(stored: Stored, words: PolicyNames): unknown;
  names(stored: Stored, place: string): readonly Reference[];
  settings(place: string): readonly string[];
}

export type StoredOf<Given> = Given extends Shape<infer Stored> ? Stored : never;

export const fillWord = (template: string, { upperWord, word }: PolicyNames): string =>
  template.replace('{word}', word).replace('{WORD}', upperWord);

const nothing = (): readonly Reference[] => [];
const itself = (place: string): readonly string[] => [place];
/** Members that accept no value, or only values without effect, have no settings. */
const none = (): readonly string[] => [];

export const leaf = <Stored>(read: Shape<Stored>['read']): Shape<Stored> => ({
  read,
  write: (stored) => stored,
  names: nothing,
  settings: itself,
});

/** If `otherwise` is null, the value is required. */
export const choice = <const Word extends string>(
  words: readonly Word[],
  otherwise: NoInfer<Word> | null = null,
): Shape<Word> => ({
  read: (place, value, policyWords) => {
    const wire = words.map((word) => fillWord(word, policyWords));
    const given = readChoice(place, value, wire, otherwise === null ? null : fillWord(otherwise, policyWords));
    return words[wire.indexOf(given)] as Word;
  },
  write: (stored, policyWords) => fillWord(stored, policyWords),
  names: nothing,
  settings: itself,
});

export const flag = (otherwise: boolean): Shape<boolean> => leaf((place, value) => readFlag(place, value, otherwise));

/** Makes a shape also accept the strings "true" and "false", which older clients send. */
export const worded = <Stored>(shape: Shape<Stored>): Shape<Stored> => ({
  ...shape,
  read: (place, value, words) => {
    const given = value === 'true' ? true : value === 'false' ? false : value;
    return shape.read(place, given, words);
  },
});

/** If `otherwise` is null, the value is required. */
export const integer = (bounds: { minimum: number; maximum: number; otherwise: number | null }): Shape<number> =>
  leaf((place, value) => {
    const { maximum, minimum, otherwise } = bounds;
    if (isAbsent(value) && otherwise === null) throw required(place);
    return readInteger(place, value, { minimum, maximum, otherwise: otherwise ?? minimum });
  });

export const text = (maximum = MAXIMUM_TEXT_LENGTH): Shape<string> =>
  leaf((place, value) => readText(place, value, maximum));

const DURATION = /^P(?=.)(?:\d{1,5}D)?(?:T(?=.)(?:\d{1,5}H)?(?:\d{1,5}M)?(?:\d{1,7}S)?)?$/;

/** Accepts an ISO 8601 duration of days or smaller units, such as `PT12H`. */
export const duration = (otherwise: string | null): Shape<string> =>
  leaf((place, value) => {
    const given = readText(place, isAbsent(value) ? otherwise : value);
    if (!DURATION.test(given)) throw invalid(place, 'must be a duration (ISO 8601), such as PT2H.');
    return given;
  });

export const optional = <Stored>(shape: Shape<Stored>): Shape<Stored | undefined> => ({
  read: (place, value, words) => (isAbsent(value) ? undefined : shape.read(place, value, words)),
  write: (stored, words) => (stored === undefined ? undefined : shape.write(stored, words)),
  names: (stored, place) => (stored === undefined ? [] : shape.names(stored, place)),
  settings: (place) => shape.settings(place),
});

export const nullable = <Stored>(shape: Shape<Stored>): Shape<Stored | null> => ({
  read: (place, value, words) => (isAbsent(value) ? null : shape.read(place, value, words)),
  write: (stored, words) => (stored === null ? null : shape.write(stored, words)),
  names: (stored, place) => (stored === null ? [] : shape.names(stored, place)),
  settings: (place) => shape.settings(place),
});

/** With a `minimum`, the list is required. */
export const list = <Stored>(
  shape: Shape<Stored>,
  { maximum, minimum = 0 }: { readonly maximum: number; readonly minimum?: number },
): Shape<readonly Stored[]> => ({
  read: (place, value, words) => {
    const items = readItems(place, value, maximum);
    if (items.length < minimum) throw required(place);
    return Object.values(
      gather(
        Object.fromEntries(items.map((item, index) => [index, () => shape.read(`${place}[${index}]`, item, words)])),
      ),
    );
  },
  write: (stored, words) => stored.map((item) => shape.write(item, words)),
  names: (stored, place) => stored.flatMap((item) => shape.names(item, place)),
  settings: (place) => shape.settings(place),
});

export const reference = (kind: ReferenceKind): Shape<string> => ({
  ...text(),
  names: (id, place) => [{ kind, id, place }],
});

export const references = (kind: ReferenceKind, maximum: number): Shape<readonly string[]> => {
  const ids = list(text(), { maximum });
  return {
    read: (place, value, words) => [...new Set(ids.read(place, value, words))],
    write: (stored) => stored,
    names: (stored, place) => stored.map((id) => ({ kind, id, place })),
    settings: itself,
  };
};

/** A member of the contract that is not supported yet. Only an absent or empty value is accepted. */
export const notYet: Shape<undefined> = {
  ...leaf((place, value) => {
    if (isAbsent(value) || value === '' || (Array.isArray(value) && value.length === 0)) return undefined;
    throw unsupported(place);
  }),
  settings: none,
};

export const neutralOnly = <const Value extends string | boolean>(
  known: readonly Value[],
  neutral: NoInfer<Value>,
): Shape<undefined> => ({
  ...leaf((place, value) => {
    if (isAbsent(value) || value === neutral) return undefined;
    if (!known.some((one) => one === value)) throw notOneOf(place, known.map(String));
    throw unsupported(place);
  }),
  write: () => neutral,
  settings: none,
});

/** A setting that is always off accepts either no value or a value from `known`; the API shows `neutral`. */
export const neutralNull = (known: readonly unknown[], neutral: null | false = null): Shape<undefined> => ({
  ...leaf((place, value) => {
    if (isAbsent(value) || known.includes(value)) return undefined;
    throw unsupported(place);
  }),
  write: () => neutral,
  settings: none,
});

export const hidden = <Stored>(shape: Shape<Stored>): Shape<Stored> => ({ ...shape, write: () => undefined });

/** Makes a shape whose accepted values all mean the same, so that it has no setting. */
export const withoutChoice = <Stored>(shape: Shape<Stored>): Shape<Stored> => ({ ...shape, settings: none });

type Parts = Readonly<Record<string, Shape<unknown>>>;
export type StoredMembers<Given extends Parts> = { readonly [Name in keyof Given]: StoredOf<Given[Name]> };

function membersOf(place: string, value: unknown): Members {
  if (isAbsent(value)) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(place, 'an object');
  return { ...value };
}

const strangersIn = (place: string, given: Members, known: ReadonlySet<string>) =>
  Object.keys(given)
    .filter((name) => !known.has(name) && !isAbsent(given[name]))
    .map((name) => [
      ` ${name}`,
      () => {
        throw unsupported(`${place}.${name.slice(0, MAXIMUM_TEXT_LENGTH)}`);
      },
    ]);

/**
 * Members are written in the order of `parts`, whose names may be templates. Unknown members are refused unless they
 * are null, because ignoring a condition would widen a rule. An absent object is read as an empty object.
 */
export const object = <const Given extends Parts>(parts: Given): Shape<StoredMembers<Given>> => ({
  read: (place, value, words) => {
    const given = membersOf(place, value);
    const named = Object.entries(parts).map(([name, shape]) => ({ name, shape, wire: fillWord(name, words) }));
    const strangers = strangersIn(place, given, new Set(named.map(({ wire }) => wire)));
    const readers = named.map(({ name, shape, wire }) => [
      name,
      () => shape.read(`${place}.${wire}`, given[wire], words),
    ]);
    return gather<StoredMembers<Given>>(Object.fromEntries([...readers, ...strangers]));
  },
  write: (stored, words) => {
    const values: Members = stored;
    const written = Object.entries(parts).map(
      ([name, shape]) => [fillWord(name, words), shape.write(values[name], words)] as const,
    );
    return Object.fromEntries(written.filter(([, value]) => value !== undefined));
  },
  names: (stored, place) => {
    const values: Members = stored;
    return Object.entries(parts).flatMap(([name, shape]) => shape.names(values[name], `${place}.${name}`));
  },
  settings: (place) => Object.entries(parts).flatMap(([name, shape]) => shape.settings(`${place}.${name}`)),
});

type Branches = Readonly<Record<string, Parts>>;

type StoredBranch<Member extends string, Given extends Branches> = {
  readonly [Kind in keyof Given]: { readonly [Name in Member]: Kind } & StoredMembers<Given[Kind]>;
}[keyof Given];

/** The value of `member` determines which other members the object may have. */
export function oneOf<const Member extends string, const Given extends Branches>(
  member: Member,
  branches: Given,
  otherwise: (keyof Given & string) | null = null,
): Shape<StoredBranch<Member, Given>> {
  const kinds = choice(Object.keys(branches), otherwise);
  const shapes = new Map(
    Object.entries(branches).map(([kind, parts]) => [kind, object({ [member]: kinds, ...parts })]),
  );
  // A stored object of an unknown kind is written with only its kind.
  const unknown: Shape<Members> = object({ [member]: leaf<unknown>((_place, value) => value) });
  const shapeOf = (stored: Members): Shape<Members> => shapes.get(String(stored[member])) ?? unknown;
  return {
    read: (place, value, words) => {
      const kind = kinds.read(`${place}.${member}`, membersOf(place, value)[member], words);
      return shapeOf({ [member]: kind }).read(place, value, words) as StoredBranch<Member, Given>;
    },
    write: (stored, words) => shapeOf(stored).write(stored, words),
    names: (stored, place) => shapeOf(stored).names(stored, place),
    settings: (place) => [...new Set([...shapes.values()].flatMap((shape) => shape.settings(place)))],
  };
}

/** Makes a shape that stores the values of `shape` in another form. `toInner` may also refuse a value. */
export const mapped = <Outer, Inner>(
  shape: Shape<Outer>,
  toInner: (outer: Outer, place: string) => Inner,
  toOuter: (inner: Inner) => Outer,
): Shape<Inner> => ({
  read: (place, value, words) => toInner(shape.read(place, value, words), place),
  write: (stored, words) => shape.write(toOuter(stored), words),
  names: (stored, place) => shape.names(toOuter(stored), place),
  settings: (place) => shape.settings(place),
});
