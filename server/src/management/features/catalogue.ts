import type { OrgId } from '../../kernel/words/ids.ts';
import { derivedId } from '../../kernel/words/ids.ts';
import type { OrgSettings } from '../orgs/index.ts';
import type { Switch } from './rules.ts';

export interface FeatureDefinition extends Switch {
  readonly name: string;
  readonly description: string;
  readonly isEnabled: (settings: OrgSettings) => boolean;
  readonly changes: Readonly<Record<'enable' | 'disable', Partial<OrgSettings>>>;
}

function settingSwitch<Name extends keyof OrgSettings>(
  setting: Name,
  { off, on }: { readonly on: OrgSettings[Name]; readonly off: OrgSettings[Name] },
): Pick<FeatureDefinition, 'isEnabled' | 'changes'> {
  const to = (value: OrgSettings[Name]): Partial<OrgSettings> => ({ [setting]: value });
  return { isEnabled: (settings) => settings[setting] === on, changes: { enable: to(on), disable: to(off) } };
}

export const FEATURES: readonly FeatureDefinition[] = [
  {
    key: 'single-password-error',
    requires: [],
    name: 'Single password error',
    description: 'A refused password is told in one cause with all requirements, as older clients expect it.',
    ...settingSwitch('passwordErrors', { on: 'single', off: 'perRule' }),
  },
  {
    key: 'current-event-names',
    requires: [],
    name: 'Current event names',
    description: "System Log events bear the names of today's published catalogue; legacyEventType has the older ones.",
    ...settingSwitch('eventNames', { on: 'current', off: 'specification' }),
  },
];

export interface Feature {
  readonly definition: FeatureDefinition;
  readonly id: string;
  readonly isEnabled: boolean;
}

export const featureOf = (orgId: OrgId, definition: FeatureDefinition, settings: OrgSettings): Feature => ({
  definition,
  id: derivedId('feature', orgId, definition.key),
  isEnabled: definition.isEnabled(settings),
});

export const findDefinition = (orgId: OrgId, id: string): FeatureDefinition | undefined =>
  FEATURES.find(({ key }) => derivedId('feature', orgId, key) === id);

export const featuresOf = (orgId: OrgId, settings: OrgSettings, keys?: readonly string[]): Feature[] =>
  FEATURES.filter(({ key }) => keys === undefined || keys.includes(key)).map((definition) =>
    featureOf(orgId, definition, settings),
  );
