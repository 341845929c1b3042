import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import { notFound } from '../../kernel/errors.ts';
import type { EventType, Work } from '../../system-log/index.ts';
import { readSubdomain } from './addresses.ts';
import { changeGeneral, type OrgInput } from './rules.ts';
import { checkSettingsChanges } from './settings.ts';
import { findOrgForUpdate, type Org, updateOrg } from './store.ts';
import { orgChange } from './wire.ts';

/** Locks the org, changes it, records what became of it; nothing happens when nothing changes. */
function changeOrg(work: Work, context: Context, eventType: EventType, change: (org: Org) => Org): Promise<Org> {
  return work(context, async (tx, record) => {
    const before = await findOrgForUpdate(tx, context.orgId);
    if (before === undefined) throw notFound(context.orgId, 'Organization');
    const changed = change(before);
    if (isDeepStrictEqual(changed, before)) return before;
    const after = { ...changed, lastUpdatedAt: wholeSecond(context.now) };
    await updateOrg(tx, after);
    record({ eventType, target: [orgChange([before, after])] });
    return after;
  });
}

/** General settings: `merge` changes what is given, `replace` empties the rest. 400 E0000001. */
export const updateOrgGeneral = (
  work: Work,
  context: Context,
  input: OrgInput,
  mode: 'merge' | 'replace',
): Promise<Org> =>
  changeOrg(work, context, 'system.org.update', (org) => ({ ...org, ...changeGeneral(org, input, mode) }));

/** Gives the org another subdomain; the old one is free at once. 400 E0000001 when it is refused or taken. */
export const renameOrg = async (ports: { readonly work: Work }, context: Context, subdomain: string): Promise<Org> => {
  const name = readSubdomain(subdomain);
  return changeOrg(ports.work, context, 'system.org.rename', (org) => ({ ...org, subdomain: name }));
};

/** Changes settings of the org (settings.ts); null takes one back to its default. 400 E0000001. */
export const changeOrgSettings = async (
  ports: { readonly work: Work },
  context: Context,
  changes: Readonly<Record<string, unknown>>,
): Promise<Org> => {
  checkSettingsChanges(changes);
  const merged = (org: Org) =>
    Object.fromEntries(Object.entries({ ...org.settings, ...changes }).filter(([, value]) => value !== null));
  return changeOrg(ports.work, context, 'system.org.update', (org) => ({ ...org, settings: merged(org) }));
};
