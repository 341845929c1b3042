import { type ApiError, invalid } from '../../../kernel/errors/errors.ts';
import { notOneOf } from '../../../kernel/errors/field-errors.ts';
import type { Members } from '../../../kernel/words/members.ts';
import { refuseBlank, refuseMember } from './member-rules.ts';
import {
  LOG_STREAM_TYPES,
  type LogStreamSettings,
  type LogStreamType,
  type SettingsInput,
  type SettingsOf,
  STREAM_TYPES,
} from './stream-types-rules.ts';

/** The settings in a body, and its secret if there is one. */
export interface GivenSettings {
  readonly settings: LogStreamSettings;
  readonly secret: string | null;
}

export const findStreamType = (name: string): LogStreamType | undefined =>
  LOG_STREAM_TYPES.find((type) => type === name);

/** 400 E0000001 naming `type` or the member of `settings`. */
export function readSettings(name: string, input: SettingsInput): GivenSettings {
  const type = findStreamType(name);
  if (type === undefined) throw notOneOf('type', LOG_STREAM_TYPES);
  const { read, secret } = STREAM_TYPES[type];
  const settings = read(input);
  const given = secret === null ? undefined : input[secret.name];
  return { settings, secret: secret === null || given === undefined ? null : secret.read(given) };
}

/** The member of `settings` that holds the secret; null when the type has none. */
export const secretMember = (type: LogStreamType): string | null => STREAM_TYPES[type].secret?.name ?? null;

/** 400 E0000001: the type requires a secret. */
export const secretMissing = (type: LogStreamType): ApiError => refuseBlank(secretMember(type) ?? '');

/** 400 E0000001 for another type, or other settings of a bus, because the contract lets neither change. */
export function refuseUnchangeable(before: LogStreamSettings, after: LogStreamSettings): void {
  if (before.type !== after.type) throw invalid('type', 'cannot be changed.');
  const stored: Members = { ...before };
  const given: Members = { ...after };
  for (const [member, { writeOnce }] of Object.entries(STREAM_TYPES[before.type].members)) {
    if (writeOnce && stored[member] !== given[member]) throw refuseMember(member, 'cannot be changed.');
  }
}

const placeOfSecret = <Name extends LogStreamType>(type: Name, settings: SettingsOf<Name>): string | undefined =>
  STREAM_TYPES[type].secret?.placeOf(settings);

/**
 * Keeps a secret that the body leaves out only if it is still sent to the same place. Otherwise a caller who may change
 * the place but does not know the secret could have it sent to a place of their own. 400 E0000001.
 */
export function refuseSecretElsewhere(before: LogStreamSettings, after: LogStreamSettings): void {
  if (placeOfSecret(before.type, before) === placeOfSecret(after.type, after)) return;
  throw refuseMember(
    secretMember(before.type) ?? '',
    'must be given again, because a stored value is never used elsewhere.',
  );
}

const loggedBy = <Name extends LogStreamType>(type: Name, settings: SettingsOf<Name>): SettingsOf<Name> =>
  STREAM_TYPES[type].logged(settings);

/** The settings as events show them. */
export const loggedSettings = (settings: LogStreamSettings): LogStreamSettings => loggedBy(settings.type, settings);
