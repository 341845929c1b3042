import { invalidObject } from '../../../kernel/errors/errors.ts';
import { checkProfile, type ProfileInput, type ProfileSchema } from '../../schemas/index.ts';
import { assertMutable } from '../../users/index.ts';
import { storedProfile } from '../rules.ts';
import type { GroupProfile } from './group-row.ts';

/** Returns the attribute that every cause names, or `profile` if there is none. */
function fieldOf(causes: readonly { readonly errorSummary: string }[]): string {
  const names = causes.map(({ errorSummary }) => /^(\w+): /.exec(errorSummary)?.[1] ?? 'profile');
  return names.every((name) => name === names[0]) ? (names[0] ?? 'profile') : 'profile';
}

const valueOf = (profile: ProfileInput | null, name: string): unknown =>
  profile !== null && Object.hasOwn(profile, name) ? profile[name] : undefined;

/**
 * Returns values for attributes that the body omits: the current value of READ_ONLY and IMMUTABLE attributes, or else
 * the schema's default.
 */
function unsaid(schema: ProfileSchema, current: GroupProfile | null): [string, unknown][] {
  return [...schema].flatMap(([name, definition]): [string, unknown][] => {
    const kept = definition.mutability === 'READ_WRITE' ? undefined : valueOf(current, name);
    const value = kept ?? definition.default;
    return value === undefined ? [] : [[name, value]];
  });
}

/** `current` is null for a creation. */
export function readProfile(given: ProfileInput, schema: ProfileSchema, current: GroupProfile | null): GroupProfile {
  const profile = Object.fromEntries([...unsaid(schema, current), ...Object.entries(storedProfile(given))]);
  assertMutable(current, profile, schema);
  const causes = checkProfile(schema, profile, current ?? {});
  if (causes.length > 0) throw invalidObject(fieldOf(causes), causes);
  return profile as GroupProfile;
}
