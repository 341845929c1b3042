import type { Context } from '../../../kernel/context.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import { type PageLink, pageLinks } from '../../../platform/http/index.ts';
import {
  appPolicyChange,
  assignAppPolicy,
  findApp,
  findAppPolicy,
  findAppsByIds,
  findAppsOfPolicy,
  lockApp,
  raiseRevision,
  removeAppPolicy,
  showApps,
  wireApp,
} from '../../apps/index.ts';
import type { PolicyMappingInput } from '../contract.ts';
import { getPolicy } from '../guards.ts';
import type { PoliciesPorts } from '../ports.ts';
import type { Policy } from '../store.ts';
import { POLICY_TYPE_ROWS } from '../types/type-rules.ts';
import { type PolicyMapping, policyTarget } from '../wire.ts';
import { appPolicies } from './app-policies.ts';

const EVERY_APP = { kind: 'all' } as const;

interface MappingIds {
  readonly policyId: string;
  readonly mappingId: string;
}

interface Page {
  readonly limit: number;
  readonly after: string | undefined;
}

type RawQuery = readonly (readonly [string, string])[];

/**
 * The id of the app is also the id of the mapping. Apps without a mapping, to which the default policy applies, are not
 * listed.
 */
export async function listPolicyMappings(
  { cursors, db }: PoliciesPorts,
  context: Context,
  policyId: string,
  { after, limit }: Page,
  query: RawQuery,
): Promise<{ readonly rows: readonly PolicyMapping[]; readonly links: readonly PageLink[] }> {
  await getPolicy(db, context, policyId);
  const scope = { orgId: context.orgId, list: `listPolicyMappings ${policyId}`, query, direction: 'after' } as const;
  const key = after === undefined ? null : (cursors.decode(scope, after) as string);
  const found = await findAppsOfPolicy(db, context.orgId, policyId, { after: key, limit: limit + 1 });
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  const next = last === undefined ? null : cursors.encode(scope, last);
  return {
    rows: shown.map((appId) => ({ policyId, appId })),
    links: pageLinks({ query, limit, next, previous: null }),
  };
}

/** Returns the apps that `listPolicyMappings` lists, in the form of `/api/v1/apps`. */
export async function listPolicyApps(
  ports: PoliciesPorts,
  context: Context,
  policyId: string,
  page: Page,
  query: RawQuery,
): Promise<{ readonly rows: readonly unknown[]; readonly links: readonly PageLink[] }> {
  const { links, rows } = await listPolicyMappings(ports, context, policyId, page, query);
  const ids = rows.map(({ appId }) => appId);
  const apps = await findAppsByIds(ports.db, context.orgId, ids);
  const shown = await showApps({ appPolicies, orgKeys: ports.orgKeys }, ports.db, context, apps);
  return { rows: shown.map((app) => wireApp(app, context)), links };
}

export async function getPolicyMapping(
  { db }: PoliciesPorts,
  context: Context,
  { mappingId, policyId }: MappingIds,
): Promise<PolicyMapping> {
  const { type } = await getPolicy(db, context, policyId);
  const own = takesApps(type) ? await findAppPolicy(db, context.orgId, mappingId, type) : null;
  if (own !== policyId) throw notFound(mappingId, 'PolicyMapping');
  return { policyId, appId: mappingId };
}

const takesApps = (type: Policy['type']): type is 'ACCESS_POLICY' | 'PROFILE_ENROLLMENT' =>
  POLICY_TYPE_ROWS[type].chosenBy === 'app';

/** Maps an app to a policy in place of its previous policy of the same type. */
export async function mapResourceToPolicy(
  { db, work }: PoliciesPorts,
  context: Context,
  policyId: string,
  { resourceId }: PolicyMappingInput,
): Promise<PolicyMapping> {
  const { type } = await getPolicy(db, context, policyId);
  if (!takesApps(type)) throw invalid('policyId', `must be a policy of a type that apps have, not ${type}.`);
  if ((await findApp(db, context.orgId, resourceId)) === undefined) {
    throw invalid('resourceId', `There is no app ${resourceId.slice(0, 100)}.`);
  }
  await assignAppPolicy({ appPolicies, work }, context, EVERY_APP, resourceId, policyId);
  return { policyId, appId: resourceId };
}

/** Removes a mapping, so that the default policy of the type applies to the app again. */
export async function deletePolicyMapping(
  { work }: PoliciesPorts,
  context: Context,
  { mappingId: appId, policyId }: MappingIds,
): Promise<void> {
  await work(context, async (tx, record) => {
    const policy = await getPolicy(tx, context, policyId);
    if ((await findApp(tx, context.orgId, appId)) === undefined) throw notFound(appId, 'PolicyMapping');
    const app = await lockApp(tx, context, appId, EVERY_APP);
    if (!(await removeAppPolicy(tx, context.orgId, appId, policyId))) throw notFound(appId, 'PolicyMapping');
    await raiseRevision(tx, context.orgId, appId);
    const { type } = policy;
    const target = appPolicyChange([
      { app, type, policyId },
      { app, type, policyId: null },
    ]);
    record({ eventType: 'application.policy.sign_on.update', target: [target, policyTarget(policy)] });
  });
}
