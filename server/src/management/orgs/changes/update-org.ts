import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import type { EventType, Work } from '../../../system-log/index.ts';
import { readSubdomain } from '../addresses/addresses.ts';
import { checkSettingsChanges, type OrgSettings, readOrgSettings } from '../addresses/settings.ts';
import { changeGeneral, type OrgInput } from '../rules.ts';
import { findOrg, findOrgForUpdate, type Org, updateOrg } from '../store.ts';
import { orgChange, orgVersion } from '../wire.ts';

async function lockOrg(tx: Tx, orgId: OrgId): Promise<Org> {
  const org = await findOrgForUpdate(tx, orgId);
  if (org === undefined) throw notFound(orgId, 'Organization');
  return org;
}

/** Writes and records nothing if the change has no effect. */
function changeOrg(work: Work, context: Context, eventType: EventType, change: (org: Org) => Org): Promise<Org> {
  return work(context, async (tx, record) => {
    const before = await lockOrg(tx, context.orgId);
    assertVersion(context, orgVersion(before));
    const changed = change(before);
    if (isDeepStrictEqual(changed, before)) return before;
    const after = { ...changed, lastUpdatedAt: wholeSecond(context.now), revision: before.revision + 1 };
    await updateOrg(tx, after);
    record({ eventType, target: [orgChange([before, after])] });
    return after;
  });
}

/** The mode `replace` clears omitted members. */
export const updateOrgGeneral = (
  work: Work,
  context: Context,
  input: OrgInput,
  mode: 'merge' | 'replace',
): Promise<Org> =>
  changeOrg(work, context, 'system.org.update', (org) => ({ ...org, ...changeGeneral(org, input, mode) }));

/** The previous subdomain becomes available immediately. */
export const renameOrg = async (ports: { readonly work: Work }, context: Context, subdomain: string): Promise<Org> => {
  const name = readSubdomain(subdomain);
  return changeOrg(ports.work, context, 'system.org.rename', (org) => ({ ...org, subdomain: name }));
};

const mergedSettings = (org: Org, changes: Readonly<Record<string, unknown>>): Org['settings'] =>
  Object.fromEntries(Object.entries({ ...org.settings, ...changes }).filter(([, value]) => value !== null));

/** Null restores the default of a setting. */
export const changeOrgSettings = async (
  ports: { readonly work: Work },
  context: Context,
  changes: Readonly<Record<string, unknown>>,
): Promise<Org> => {
  checkSettingsChanges(changes);
  return changeOrg(ports.work, context, 'system.org.update', (org) => ({
    ...org,
    settings: mergedSettings(org, changes),
  }));
};

export async function findOrgSettings(db: Db, orgId: OrgId): Promise<OrgSettings> {
  const org = await findOrg(db, orgId);
  if (org === undefined) throw notFound(orgId, 'Organization');
  return readOrgSettings(org.settings);
}

export const lockOrgSettings = async (tx: Tx, orgId: OrgId): Promise<OrgSettings> =>
  readOrgSettings((await lockOrg(tx, orgId)).settings);

/** Returns the effective settings. The caller records the event. */
export async function changeSettingsOfLockedOrg(
  tx: Tx,
  context: Context,
  changes: Partial<OrgSettings>,
): Promise<OrgSettings> {
  checkSettingsChanges(changes);
  const before = await lockOrg(tx, context.orgId);
  const after = { ...before, settings: mergedSettings(before, changes) };
  if (isDeepStrictEqual(after, before)) return readOrgSettings(before.settings);
  await updateOrg(tx, { ...after, lastUpdatedAt: wholeSecond(context.now), revision: before.revision + 1 });
  return readOrgSettings(after.settings);
}
