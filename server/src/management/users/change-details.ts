import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../system-log/index.ts';
import type { UserRow } from './user-row.ts';

/** What of a user is told in `target[].changeDetails`. Secrets are not in the row at all. */
const toldOf = (user: UserRow): Record<string, Json> => ({
  ...user.profile,
  'type.id': user.typeId,
  recoveryQuestion: user.recoveryQuestion === null ? null : '(set)',
});

/** Values before and after of what an update changed; null when nothing that is told did. */
export function changeDetailsOf(before: UserRow, after: UserRow): { from: JsonObject; to: JsonObject } | null {
  const had = toldOf(before);
  const has = toldOf(after);
  const names = [...new Set([...Object.keys(had), ...Object.keys(has)])];
  const changed = names.filter((name) => !isDeepStrictEqual(had[name] ?? null, has[name] ?? null));
  const questionReplaced = before.recoveryQuestion !== after.recoveryQuestion && !changed.includes('recoveryQuestion');
  if (questionReplaced) changed.push('recoveryQuestion');
  if (changed.length === 0) return null;
  const pick = (values: Record<string, Json>): JsonObject =>
    Object.fromEntries(changed.map((name) => [name, values[name] ?? null]));
  return { from: pick(had), to: pick(has) };
}
