import type { EventNames } from '../../../kernel/context.ts';
import { invalidObject } from '../../../kernel/errors/errors.ts';
import { RATE_LIMIT_BUCKETS, type RateLimitBucket } from '../../../platform/http/index.ts';

export type RateLimitName = RateLimitBucket | 'default';

/** The settings of an org, with defaults for those that are not stored. */
export interface OrgSettings {
  /** `single` is for older clients, which expect one cause, however many password rules are violated. */
  readonly passwordErrors: 'perRule' | 'single';
  /**
   * Limits in requests per minute, by bucket. `default` applies to all buckets that are not named, except `unlimited`
   * (contract section 8).
   */
  readonly rateLimits: Readonly<Partial<Record<RateLimitName, number>>>;
  /** The percentage of a bucket that one API token or client may use, from 1 to 100. */
  readonly perTokenPercent: number;
  /** The source of event names where the specification and the current catalogue differ. */
  readonly eventNames: EventNames;
  /** The minimum number of days for which events are kept. */
  readonly logRetentionDays: number;
  /**
   * Whether apps may register redirect URIs with `http://` and a host other than loopback. Anyone on the network path
   * can read codes and tokens that are sent there (RFC 9700 2.6).
   */
  readonly httpRedirectUris: 'refused' | 'allowed';
}

export const DEFAULT_ORG_SETTINGS: OrgSettings = {
  passwordErrors: 'perRule',
  rateLimits: {},
  perTokenPercent: 100,
  eventNames: 'specification',
  logRetentionDays: 90,
  httpRedirectUris: 'refused',
};

const MAXIMUM_RATE = 100_000_000;
/** Migration 0014 repeats these limits. */
const RETENTION_DAYS = [90, 3_650] as const;
const RATE_LIMIT_NAMES: ReadonlySet<string> = new Set([...Object.keys(RATE_LIMIT_BUCKETS), 'default']);

const isWithin = (value: unknown, minimum: number, maximum: number): boolean =>
  Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;

const isRateLimits = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([name, limit]) => RATE_LIMIT_NAMES.has(name) && isWithin(limit, 1, MAXIMUM_RATE));

const EXPECTED: Readonly<Record<keyof OrgSettings, readonly [expected: string, holds: (value: unknown) => boolean]>> = {
  passwordErrors: ['perRule or single', (value) => value === 'perRule' || value === 'single'],
  rateLimits: [`limits from 1 to ${MAXIMUM_RATE} of ${[...RATE_LIMIT_NAMES].join(', ')}`, isRateLimits],
  perTokenPercent: ['a whole number from 1 to 100', (value) => isWithin(value, 1, 100)],
  eventNames: ['specification or current', (value) => value === 'specification' || value === 'current'],
  logRetentionDays: [
    `a whole number of days from ${RETENTION_DAYS[0]} to ${RETENTION_DAYS[1]}`,
    (value) => isWithin(value, ...RETENTION_DAYS),
  ],
  httpRedirectUris: ['refused or allowed', (value) => value === 'refused' || value === 'allowed'],
};

const NAMES = Object.keys(EXPECTED) as (keyof OrgSettings)[];

/** Ignores a stored value that this release does not accept, so that requests still work. */
export function readOrgSettings(stored: unknown): OrgSettings {
  const values = typeof stored === 'object' && stored !== null ? stored : {};
  const good = NAMES.filter((name) => Object.hasOwn(values, name) && EXPECTED[name][1](Reflect.get(values, name)));
  return { ...DEFAULT_ORG_SETTINGS, ...Object.fromEntries(good.map((name) => [name, Reflect.get(values, name)])) };
}

/** Null restores the default of a setting. */
export function checkSettingsChanges(changes: Readonly<Record<string, unknown>>): void {
  const causes = Object.entries(changes).flatMap(([name, value]) => {
    const expected = NAMES.find((known) => known === name);
    if (expected === undefined) return [`${name}: There is no such setting.`];
    return value === null || EXPECTED[expected][1](value) ? [] : [`${name}: must be ${EXPECTED[expected][0]}.`];
  });
  if (causes.length > 0) throw invalidObject('settings', causes);
}
