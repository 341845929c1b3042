import { changeTarget, type Json } from '../../../system-log/index.ts';
import type { StoredKey } from '../keys/jwk-stored.ts';
import { type App, isClientApp } from '../store.ts';
import { appTarget } from '../target.ts';

interface ToldApp {
  readonly app: App;
  readonly keys?: readonly StoredKey[];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A list counts as one value. */
function flatten(value: unknown, path: string, into: Record<string, Json>): void {
  if (!isObject(value)) into[path] = value as Json;
  else for (const [name, member] of Object.entries(value)) flatten(member, `${path}.${name}`, into);
}

function toldOf({ app, keys }: ToldApp): Record<string, Json> {
  const { accessibility, visibility, features, credentials, settings, licensing, profile } = app.document;
  const told: Record<string, Json> = { label: app.label, status: app.status, features: [...features] };
  const parts = { accessibility, visibility, credentials, settings, licensing: licensing ?? null };
  for (const [name, part] of Object.entries(parts)) flatten(part, name, told);
  // Clients choose the shape and the names in `profile`, so it is shown as one value.
  told['profile'] = (profile ?? null) as Json;
  if (keys !== undefined && isClientApp(app))
    told['settings.oauthClient.jwks'] = keys.map(({ id, status }) => ({ id, status }));
  return told;
}

export const appChange = changeTarget(({ app }: ToldApp) => appTarget(app), toldOf);
