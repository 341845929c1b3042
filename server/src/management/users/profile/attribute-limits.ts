import { attributeSight, conditionsOf, isOpenUnder } from '../../../access/index.ts';
import type { FieldTable } from '../../../filter/index.ts';
import { type Context, userIdOf } from '../../../kernel/context.ts';
import { apiError, invalid } from '../../../kernel/errors/errors.ts';
import { ALWAYS_PRINTED, type UserProfile } from './profile.ts';

type Caller = Pick<Context, 'principal' | 'roles'>;

/** Returns null if the caller sees all users completely, or only their own profile. */
function attributeFilter(caller: Caller): ((name: string) => boolean) | null {
  const { reach, shows } = attributeSight(caller);
  return reach === 'part' ? shows : null;
}

/** The limits of the caller's roles do not apply to the caller's own profile. */
export function shownProfile(
  caller: Caller,
  userId: string,
  profile: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { reach, shows } = attributeSight(caller);
  if (reach === 'whole' || userIdOf(caller.principal) === userId) return profile;
  return Object.fromEntries(Object.entries(profile).filter(([name]) => shows(name)));
}

function closedNames(caller: Caller, names: readonly string[]): readonly string[] {
  const isShown = attributeFilter(caller) ?? (() => true);
  const conditions = conditionsOf(caller.roles, 'users.manage');
  return names.filter((name) => !isShown(name) || !isOpenUnder(conditions, name));
}

/** Returns the values that a replacement of a profile keeps, because the caller may not see or change them. */
export function keptBehind(caller: Caller, before: UserProfile): Readonly<Record<string, unknown>> {
  return Object.fromEntries(closedNames(caller, Object.keys(before)).map((name) => [name, before[name]]));
}

const IN_EVERY_PROFILE: ReadonlySet<string> = new Set(ALWAYS_PRINTED);

/** `before` is null for a new user, whose ALWAYS_PRINTED attributes may always be set. */
export function assertMayWrite(
  caller: Caller,
  before: UserProfile | null,
  after: Readonly<Record<string, unknown>>,
): void {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])];
  const changed = closedNames(caller, names).filter((name) => {
    const [had, has] = [before?.[name] ?? null, after[name] ?? null];
    return JSON.stringify(had) !== JSON.stringify(has) && !(before === null && IN_EVERY_PROFILE.has(name));
  });
  if (changed.length > 0) throw apiError('E0000006');
}

const PROFILE = 'profile.';

const mayAskFor = (isShown: (name: string) => boolean, field: string): boolean =>
  !field.startsWith(PROFILE) || isShown(field.slice(PROFILE.length));

export function fieldsShownTo(caller: Caller, table: FieldTable): FieldTable {
  const isShown = attributeFilter(caller);
  if (isShown === null) return table;
  return {
    ...table,
    fields: new Map([...table.fields].filter(([name]) => mayAskFor(isShown, name))),
    resolve: (name) => (mayAskFor(isShown, name) ? table.resolve?.(name) : undefined),
  };
}

const NONE: ReadonlySet<string> = new Set();

export function namesShownTo<Name extends string>(
  caller: Caller,
  names: readonly Name[],
  hidden: ReadonlySet<string> = NONE,
): readonly Name[] {
  const isShown = attributeFilter(caller) ?? (() => true);
  return names.filter((name) => mayAskFor((attribute) => isShown(attribute) && !hidden.has(attribute), name));
}

/** Throws 400 E0000001 if `sortBy` is hidden from the caller, because the order would reveal the values. */
export function assertSortable(caller: Caller, sortBy: string | undefined, hidden: ReadonlySet<string>): void {
  if (sortBy === undefined || namesShownTo(caller, [sortBy], hidden).length > 0) return;
  throw invalid('sortBy', `must be an attribute that can be sorted by, not ${sortBy}.`);
}
