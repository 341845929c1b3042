import { type ErrorCause, invalidObject } from '../../kernel/errors/errors.ts';
import { notOneOf } from '../../kernel/errors/field-errors.ts';
import { BLANK, mustBeOneOf, mustBeWithin, type Problem } from '../../kernel/errors/problems.ts';
import { readLine } from '../../kernel/texts/written-text.ts';

export const BEHAVIOR_TYPES = [
  'ANOMALOUS_DEVICE',
  'ANOMALOUS_IP',
  'ANOMALOUS_LOCATION',
  'VELOCITY',
  'ANOMALOUS_ASN',
] as const;
export type BehaviorType = (typeof BEHAVIOR_TYPES)[number];

export const GRANULARITIES = ['CITY', 'COUNTRY', 'LAT_LONG', 'SUBDIVISION'] as const;
type Granularity = (typeof GRANULARITIES)[number];

export interface BehaviorSettings {
  readonly minEventsNeededForEvaluation?: number;
  readonly maxEventsUsedForEvaluation?: number;
  readonly granularity?: Granularity;
  readonly radiusKilometers?: number;
  readonly velocityKph?: number;
}

type Given = Readonly<Record<string, unknown>>;
type Name = keyof BehaviorSettings;

interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
  /** The default. Null means that the setting is required. */
  readonly otherwise: number | null;
}

const MINIMUM_EVENTS: Bounds = { minimum: 0, maximum: 10, otherwise: 0 };
const HISTORY = {
  minEventsNeededForEvaluation: MINIMUM_EVENTS,
  maxEventsUsedForEvaluation: { minimum: 1, maximum: 100, otherwise: 20 },
} as const;
/** The unit is kilometres. The maximum is half the circumference of the earth. */
const RADIUS: Bounds = { minimum: 1, maximum: 20_038, otherwise: null };

const NUMBERS: Readonly<Record<BehaviorType, Readonly<Partial<Record<Name, Bounds>>>>> = {
  ANOMALOUS_DEVICE: HISTORY,
  ANOMALOUS_IP: { ...HISTORY, maxEventsUsedForEvaluation: { minimum: 0, maximum: 100, otherwise: 50 } },
  ANOMALOUS_LOCATION: HISTORY,
  VELOCITY: { velocityKph: { minimum: 1, maximum: 100_000, otherwise: 805 } },
  ANOMALOUS_ASN: HISTORY,
};

const MAXIMUM_NAME_LENGTH = 128;

export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_NAME_LENGTH, stored);

export function readType(text: string): BehaviorType {
  const type = BEHAVIOR_TYPES.find((known) => known === text);
  if (type === undefined) throw notOneOf('type', BEHAVIOR_TYPES);
  return type;
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
const causeOf = (name: string, problem: Problem): ErrorCause => ({ errorSummary: `settings.${name}: ${problem}` });

function faultOf(name: string, value: unknown, { maximum, minimum, otherwise }: Bounds): ErrorCause | null {
  if (isAbsent(value)) return otherwise === null ? causeOf(name, BLANK) : null;
  const isWithin = typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
  return isWithin ? null : causeOf(name, mustBeWithin(minimum, maximum));
}

function numbersOf(type: BehaviorType, given: Given): Readonly<Partial<Record<Name, Bounds>>> {
  const isPlace = type === 'ANOMALOUS_LOCATION' && given['granularity'] === 'LAT_LONG';
  return isPlace ? { ...NUMBERS[type], radiusKilometers: RADIUS } : NUMBERS[type];
}

function faultsOf(type: BehaviorType, given: Given): ErrorCause[] {
  const numbers = numbersOf(type, given);
  const takesGranularity = type === 'ANOMALOUS_LOCATION';
  const known = new Set([...Object.keys(numbers), ...(takesGranularity ? ['granularity'] : [])]);
  const faults = Object.entries(numbers).flatMap(([name, bounds]) => faultOf(name, given[name], bounds) ?? []);
  if (takesGranularity && !GRANULARITIES.some((one) => one === given['granularity'])) {
    faults.push(causeOf('granularity', mustBeOneOf(GRANULARITIES)));
  }
  for (const name of Object.keys(given)) {
    if (!known.has(name) && !isAbsent(given[name])) {
      faults.push(causeOf(name.slice(0, 100), `does not belong to the type ${type}.`));
    }
  }
  return faults;
}

/** Validates the settings of a behavior and adds defaults. */
export function readSettings(type: BehaviorType, settings: Given | null | undefined): BehaviorSettings {
  const given: Given = { ...settings };
  const faults = faultsOf(type, given);
  if (faults.length > 0) throw invalidObject('settings', faults);
  const numbers = Object.entries(numbersOf(type, given)).map(([name, { otherwise }]) => [
    name,
    given[name] ?? otherwise,
  ]);
  const granularity = type === 'ANOMALOUS_LOCATION' ? { granularity: given['granularity'] } : {};
  return { ...Object.fromEntries(numbers), ...granularity } as BehaviorSettings;
}
