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

export interface GivenSettings {
  readonly settings: LogStreamSettings;
  readonly secret: string | null;
}

export const findStreamType = (name: string): LogStreamType | undefined =>
  LOG_STREAM_TYPES.find((type) => type === name);

/** The secret is null if the type has none or the body omits it. */
export function readSettings(name: string, input: SettingsInput): GivenSettings {
  const type = findStreamType(name);
  if (type === undefined) throw notOneOf('type', LOG_STREAM_TYPES);
  const { read, secret } = STREAM_TYPES[type];
  const settings = read(input);
  const given = secret === null ? undefined : input[secret.name];
  return { settings, secret: secret === null || given === undefined ? null : secret.read(given) };
}

export const secretMember = (type: LogStreamType): string | null => STREAM_TYPES[type].secret?.name ?? null;

export const secretMissing = (type: LogStreamType): ApiError => refuseBlank(secretMember(type) ?? '');

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
 * Refuses to use the stored secret for another place. Otherwise, callers who do not know it could choose a place of
 * their own.
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

export const loggedSettings = (settings: LogStreamSettings): LogStreamSettings => loggedBy(settings.type, settings);
