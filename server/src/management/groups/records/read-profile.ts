import { invalidObject } from '../../../kernel/errors/errors.ts';
import { checkProfile, type ProfileInput, type ProfileSchema } from '../../schemas/index.ts';
import { assertMutable } from '../../users/index.ts';
import { storedProfile } from '../rules.ts';
import type { GroupProfile } from './group-row.ts';

/** The attribute that all causes share; the object when they differ. */
function fieldOf(causes: readonly { readonly errorSummary: string }[]): string {
  const names = causes.map(({ errorSummary }) => /^(\w+): /.exec(errorSummary)?.[1] ?? 'profile');
  return names.every((name) => name === names[0]) ? (names[0] ?? 'profile') : 'profile';
}

const valueOf = (profile: ProfileInput | null, name: string): unknown =>
  profile !== null && Object.hasOwn(profile, name) ? profile[name] : undefined;

/**
 * Values of attributes that the body leaves out: the current one if clients can't write it, else the schema's default.
 */
function unsaid(schema: ProfileSchema, current: GroupProfile | null): [string, unknown][] {
  return [...schema].flatMap(([name, definition]): [string, unknown][] => {
    const kept = definition.mutability === 'READ_WRITE' ? undefined : valueOf(current, name);
    const value = kept ?? definition.default;
    return value === undefined ? [] : [[name, value]];
  });
}

/**
 * Reads the stored profile of a create (`current` null) or a PUT. 400 E0000001 with a cause per fault; 403 E0000077 or
 * E0000078 for an attribute that clients can't write.
 */
export function readProfile(given: ProfileInput, schema: ProfileSchema, current: GroupProfile | null): GroupProfile {
  const profile = Object.fromEntries([...unsaid(schema, current), ...Object.entries(storedProfile(given))]);
  assertMutable(current, profile, schema);
  const causes = checkProfile(schema, profile, current ?? {});
  if (causes.length > 0) throw invalidObject(fieldOf(causes), causes);
  return profile as GroupProfile;
}
