import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../system-log/index.ts';
import type { AppWithKeys } from './wire.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values by their path; lists are values. What stands here came from JSON and goes back to it. */
function flatten(value: unknown, path: string, into: Record<string, Json>): void {
  if (!isObject(value)) into[path] = value as Json;
  else for (const [name, member] of Object.entries(value)) flatten(member, `${path}.${name}`, into);
}

/** What of an app is told in `target[].changeDetails`: everything but secrets; of keys their ids and status. */
function toldOf({ app, keys }: AppWithKeys): Record<string, Json> {
  const { accessibility, visibility, features, credentials, settings, licensing, profile } = app.document;
  const told: Record<string, Json> = { label: app.label, features: [...features] };
  const parts = { accessibility, visibility, credentials, settings, licensing: licensing ?? null };
  for (const [name, part] of Object.entries(parts)) flatten(part, name, told);
  // Its shape is the client's own, and so are the names in it.
  told['profile'] = (profile ?? null) as Json;
  told['settings.oauthClient.jwks'] = keys.map(({ id, status }) => ({ id, status }));
  return told;
}

/** Values before and after of what an update changed; null when nothing that is told did. */
export function changeDetailsOf(before: AppWithKeys, after: AppWithKeys): { from: JsonObject; to: JsonObject } | null {
  const had = toldOf(before);
  const has = toldOf(after);
  const names = [...new Set([...Object.keys(had), ...Object.keys(has)])];
  const changed = names.filter((name) => !isDeepStrictEqual(had[name] ?? null, has[name] ?? null));
  if (changed.length === 0) return null;
  const pick = (values: Record<string, Json>): JsonObject =>
    Object.fromEntries(changed.map((name) => [name, values[name] ?? null]));
  return { from: pick(had), to: pick(has) };
}
