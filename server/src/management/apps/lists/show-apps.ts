import type { Context } from '../../../kernel/context.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { findAppPoliciesOf } from '../changes/app-policy-store.ts';
import { findInlineKeysOf } from '../keys/jwk-store.ts';
import type { StoredKey } from '../keys/jwk-stored.ts';
import type { ShownLogo } from '../logos/logo-address.ts';
import { findLogosOf } from '../logos/logo-store.ts';
import type { AppPorts } from '../route-ports.ts';
import { type App, isClientApp } from '../store.ts';
import type { AppPolicies } from './app-links.ts';

/** An app, with the parts of its representation that are stored elsewhere. */
export interface ShownApp {
  readonly app: App;
  readonly keys: readonly StoredKey[];
  readonly logo: ShownLogo | null;
  readonly policies: AppPolicies;
  /** The id of the key that signs the org's tokens. It is null if that key was not needed or does not exist yet. */
  readonly orgKid: string | null;
  /** The secret is shown only in the response to a request that set the secret or contained it. */
  readonly clientSecret?: string | null;
  readonly embedded?: Readonly<Record<string, unknown>>;
}

export interface ShowPorts extends Pick<AppPorts, 'appPolicies'> {
  readonly orgKeys: Pick<AppPorts['orgKeys'], 'published'>;
}

export async function showApps(ports: ShowPorts, db: Db, context: Context, apps: readonly App[]): Promise<ShownApp[]> {
  const { orgId } = context;
  const ids = apps.map(({ id }) => id);
  if (ids.length === 0) return [];
  const [keys, logos, policies, standard, orgKeys] = await Promise.all([
    findInlineKeysOf(db, orgId, ids),
    findLogosOf(db, orgId, ids),
    findAppPoliciesOf(db, orgId, ids),
    ports.appPolicies.defaults(db, orgId),
    apps.some(isClientApp) ? ports.orgKeys.published(db, context) : [],
  ]);
  return apps.map((app) => {
    const own = policies.get(app.id);
    return {
      app,
      keys: keys.get(app.id) ?? [],
      logo: logos.get(app.id) ?? null,
      orgKid: orgKeys[0]?.kid ?? null,
      policies: {
        accessPolicyId: own?.get('ACCESS_POLICY') ?? standard.accessPolicyId,
        profileEnrollmentId: own?.get('PROFILE_ENROLLMENT') ?? standard.profileEnrollmentId,
      },
    };
  });
}

export async function showApp(ports: ShowPorts, db: Db, context: Context, app: App): Promise<ShownApp> {
  const [shown] = await showApps(ports, db, context, [app]);
  if (shown === undefined) throw new Error('an app that was given is not shown');
  return shown;
}
