import type { EventNames } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { RATE_LIMIT_BUCKETS, type RateLimitBucket } from '../../../platform/http/index.ts';

export type RateLimitName = RateLimitBucket | 'default';

/** What an org may set for itself, kept in `orgs.settings`; an absent key means the default. */
export interface OrgSettings {
  /** Whether violated password rules are told one by one or, as older clients expect, in one cause. */
  readonly passwordErrors: 'perRule' | 'single';
  /** Requests a minute per bucket; `default` for those that are not named. */
  readonly rateLimits: Readonly<Partial<Record<RateLimitName, number>>>;
  /** Share of a bucket that one token may use, 1 to 100. */
  readonly perTokenPercent: number;
  /** Which name events bear where the specification's is not the one of today's catalogue. */
  readonly eventNames: EventNames;
  /** How long events are kept, for exports and sinks; `GET /api/v1/logs` answers with 90 days whatever it is. */
  readonly logRetentionDays: number;
  /**
   * Whether apps may be registered with `http://` redirect URIs that are not on the device itself: whoever watches the
   * way there reads the codes and tokens (RFC 9700 2.6). Orgs from before this setting have it allowed.
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
/** The same bounds hold in `log_retention_days` (migration 0014), which is what retention asks. */
const RETENTION_DAYS = [90, 3_650] as const;
const RATE_LIMIT_NAMES: ReadonlySet<string> = new Set([...Object.keys(RATE_LIMIT_BUCKETS), 'default']);

const isWithin = (value: unknown, minimum: number, maximum: number): boolean =>
  Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;

const isRateLimits = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([name, limit]) => RATE_LIMIT_NAMES.has(name) && isWithin(limit, 1, MAXIMUM_RATE));

/** Per setting: what is expected, and whether a value is that. */
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

/** The settings in force. A stored value that this version doesn't take counts as absent: requests must go on. */
export function readOrgSettings(stored: unknown): OrgSettings {
  const values = typeof stored === 'object' && stored !== null ? stored : {};
  const good = NAMES.filter((name) => Object.hasOwn(values, name) && EXPECTED[name][1](Reflect.get(values, name)));
  return { ...DEFAULT_ORG_SETTINGS, ...Object.fromEntries(good.map((name) => [name, Reflect.get(values, name)])) };
}

/** Checks changes before they are stored: null takes a setting back to its default. 400 E0000001 for each bad one. */
export function checkSettingsChanges(changes: Readonly<Record<string, unknown>>): void {
  const causes = Object.entries(changes).flatMap(([name, value]) => {
    const expected = NAMES.find((known) => known === name);
    if (expected === undefined) return [`${name}: There is no setting of this name.`];
    return value === null || EXPECTED[expected][1](value) ? [] : [`${name}: must be ${EXPECTED[expected][0]}.`];
  });
  if (causes.length > 0) throw invalid('settings', ...causes);
}
