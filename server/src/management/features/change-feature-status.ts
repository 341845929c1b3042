import type { Context } from '../../kernel/context.ts';
import { invalidObject } from '../../kernel/errors/errors.ts';
import type { Work } from '../../system-log/index.ts';
import { changeSettingsOfLockedOrg, lockOrgSettings } from '../orgs/index.ts';
import { FEATURES, type Feature, featureOf, featuresOf } from './catalogue.ts';
import { knownDefinition } from './list-features.ts';
import { type FeatureAction, planSwitch } from './rules.ts';
import { featureChange } from './wire.ts';

const EVENTS = { enable: 'system.feature.enable', disable: 'system.feature.disable' } as const;

const nameOf = (key: string): string => FEATURES.find((feature) => feature.key === key)?.name ?? key;

/** `force` first switches the features that prevent this change. */
export async function changeFeatureStatus(
  work: Work,
  context: Context,
  id: string,
  { action, force }: { readonly action: FeatureAction; readonly force: boolean },
): Promise<Feature> {
  const definition = knownDefinition(context, id);
  return work(context, async (tx, record) => {
    const settings = await lockOrgSettings(tx, context.orgId);
    const enabled = new Set(FEATURES.filter((one) => one.isEnabled(settings)).map(({ key }) => key));
    const { missing, switched } = planSwitch(FEATURES, enabled, { key: definition.key, action, force });
    if (missing.length > 0) {
      const causes = missing.map((key) => `${nameOf(key)}: must be ${action}d first.`);
      throw invalidObject('feature', causes);
    }
    const features = switched.flatMap((key) => featuresOf(context.orgId, settings, [key]));
    const changes = Object.assign({}, ...features.map((one) => one.definition.changes[action])) as object;
    const after = await changeSettingsOfLockedOrg(tx, context, { ...changes });
    for (const before of features) {
      const changed = featureOf(context.orgId, before.definition, after);
      record({ eventType: EVENTS[action], target: [featureChange([before, changed])] });
    }
    return featureOf(context.orgId, definition, after);
  });
}
