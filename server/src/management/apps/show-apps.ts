import type { Context } from '../../kernel/context.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { AppPolicies } from './app-links.ts';
import { findAppPoliciesOf } from './app-policy-store.ts';
import { findInlineKeysOf } from './jwk-store.ts';
import type { StoredKey } from './jwk-stored.ts';
import type { ShownLogo } from './logos/logo-address.ts';
import { findLogosOf } from './logos/logo-store.ts';
import type { AppPorts } from './route-ports.ts';
import type { App } from './store.ts';

/** An app with all that is shown of it and kept beside it. */
export interface ShownApp {
  readonly app: App;
  readonly keys: readonly StoredKey[];
  readonly logo: ShownLogo | null;
  readonly policies: AppPolicies;
  /** Only right after it was set. */
  readonly clientSecret?: string | null;
  readonly embedded?: Readonly<Record<string, unknown>>;
}

/** Completes apps with what is shown of them: a fixed number of statements, however many they are. */
export async function showApps(
  ports: Pick<AppPorts, 'appPolicies'>,
  db: Db,
  { orgId }: Context,
  apps: readonly App[],
): Promise<ShownApp[]> {
  const ids = apps.map(({ id }) => id);
  if (ids.length === 0) return [];
  const [keys, logos, policies, standard] = await Promise.all([
    findInlineKeysOf(db, orgId, ids),
    findLogosOf(db, orgId, ids),
    findAppPoliciesOf(db, orgId, ids),
    ports.appPolicies.defaults(db, orgId),
  ]);
  return apps.map((app) => {
    const own = policies.get(app.id);
    return {
      app,
      keys: keys.get(app.id) ?? [],
      logo: logos.get(app.id) ?? null,
      policies: {
        accessPolicyId: own?.get('ACCESS_POLICY') ?? standard.accessPolicyId,
        profileEnrollmentId: own?.get('PROFILE_ENROLLMENT') ?? standard.profileEnrollmentId,
      },
    };
  });
}

/** The same for one app. */
export async function showApp(
  ports: Pick<AppPorts, 'appPolicies'>,
  db: Db,
  context: Context,
  app: App,
): Promise<ShownApp> {
  const [shown] = await showApps(ports, db, context, [app]);
  if (shown === undefined) throw new Error('an app that was given is not shown');
  return shown;
}
