import { type ApiError, invalid } from '../../../kernel/errors/errors.ts';
import { isSameOrigin } from '../../../kernel/words/origin.ts';

export const LOG_STREAM_TYPES = [
  'aws_eventbridge',
  'splunk_cloud_logstreaming',
  'https_ndjson',
  'file_ndjson',
] as const;
export type LogStreamType = (typeof LOG_STREAM_TYPES)[number];

export const SPLUNK_EDITIONS = ['aws', 'aws_govcloud', 'gcp'] as const;
export type SplunkEdition = (typeof SPLUNK_EDITIONS)[number];

/** Regions of the contract (`AwsRegion`), by their names at AWS. */
export const AWS_REGIONS = {
  'ap-northeast-1': 'Asia Pacific (Tokyo)',
  'ap-northeast-2': 'Asia Pacific (Seoul)',
  'ap-northeast-3': 'Asia Pacific (Osaka)',
  'ap-south-1': 'Asia Pacific (Mumbai)',
  'ap-southeast-1': 'Asia Pacific (Singapore)',
  'ap-southeast-2': 'Asia Pacific (Sydney)',
  'ca-central-1': 'Canada (Central)',
  'eu-central-1': 'Europe (Frankfurt)',
  'eu-north-1': 'Europe (Stockholm)',
  'eu-west-1': 'Europe (Ireland)',
  'eu-west-2': 'Europe (London)',
  'eu-west-3': 'Europe (Paris)',
  'sa-east-1': 'South America (Sao Paulo)',
  'us-east-1': 'US East (N. Virginia)',
  'us-east-2': 'US East (Ohio)',
  'us-west-1': 'US West (N. California)',
  'us-west-2': 'US West (Oregon)',
} as const;

export interface AwsSettings {
  readonly type: 'aws_eventbridge';
  /** Exactly 12 digits. */
  readonly accountId: string;
  readonly eventSourceName: string;
  readonly region: string;
}

/** The token is the stream's secret. */
export interface SplunkSettings {
  readonly type: 'splunk_cloud_logstreaming';
  /** Host name of the instance, without scheme, port or path. */
  readonly host: string;
  readonly edition: SplunkEdition;
}

/** The HMAC secret is the stream's secret. */
export interface HttpsSettings {
  readonly type: 'https_ndjson';
  readonly url: string;
  readonly gzip: boolean;
}

export interface FileSettings {
  readonly type: 'file_ndjson';
  readonly maximumMegabytes: number;
  readonly maximumFiles: number;
}

/** Stored settings, without the secret. */
export type LogStreamSettings = AwsSettings | SplunkSettings | HttpsSettings | FileSettings;

/** `settings` of a body with the members of every type; those of other types are ignored. */
export interface SettingsInput {
  readonly accountId?: string;
  readonly eventSourceName?: string;
  readonly region?: string;
  readonly host?: string;
  readonly edition?: string;
  readonly token?: string;
  readonly url?: string;
  readonly gzip?: boolean;
  readonly secret?: string;
  readonly maximumMegabytes?: number;
  readonly maximumFiles?: number;
}

/** The settings in a body, and its secret if there is one. */
export interface GivenSettings {
  readonly settings: LogStreamSettings;
  readonly secret: string | null;
}

export const ACCOUNT_ID_PATTERN = '^\\d{12}$';
export const EVENT_SOURCE_PATTERN = '^[.\\-_A-Za-z0-9]{1,75}$';
/** At least two labels of RFC 1123 2.1; the last one has a letter, so that no IP address looks like a name. */
export const HOST_PATTERN =
  '^(?=.{1,116}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+' +
  '(?=[A-Za-z0-9-]*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$';
export const TOKEN_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
export const MAXIMUM_URL_LENGTH = 1_024;
export const SECRET_LENGTH = { minimum: 16, maximum: 1_024 };
export const MEGABYTES = { minimum: 1, maximum: 1_024, default: 100 };
export const FILES = { minimum: 1, maximum: 1_000, default: 30 };

/** Blanks, control characters and characters that programs read differently: RFC 3986 2 allows none in a URI. */
const FOREIGN = /[^\x21-\x7e]|[\\<>"^`{|}]/;

const refuse = (member: string, cause: string): ApiError =>
  invalid(`settings.${member}`, `settings.${member}: ${cause}`);

function readText(member: string, value: string | undefined): string {
  if (value === undefined || value === '') throw refuse(member, 'The field cannot be left blank');
  return value;
}

function readPattern(member: string, value: string | undefined, pattern: string, cause: string): string {
  const text = readText(member, value);
  if (!new RegExp(pattern).test(text)) throw refuse(member, cause);
  return text;
}

function readWord<Word extends string>(member: string, value: string | undefined, words: readonly Word[]): Word {
  const text = readText(member, value);
  const found = words.find((word) => word === text);
  if (found === undefined) throw refuse(member, `must be one of ${words.join(', ')}.`);
  return found;
}

interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
}

function readCount(member: string, value: number | undefined, bounds: Bounds): number {
  const count = value ?? bounds.default;
  if (!Number.isSafeInteger(count) || count < bounds.minimum || count > bounds.maximum) {
    throw refuse(member, `must be a whole number from ${bounds.minimum} to ${bounds.maximum}.`);
  }
  return count;
}

function readUrl(value: string | undefined): string {
  const text = readText('url', value);
  if (text.length > MAXIMUM_URL_LENGTH) {
    throw refuse('url', `At most ${MAXIMUM_URL_LENGTH} characters are allowed.`);
  }
  const url = !FOREIGN.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw refuse('url', 'must be an absolute URI.');
  if (!/^https:\/\/[^/]/i.test(text)) throw refuse('url', 'the scheme must be https.');
  if (url.username !== '' || url.password !== '') throw refuse('url', 'must not hold a user name.');
  if (text.includes('#')) throw refuse('url', 'must not hold a fragment.');
  return text;
}

function readSecret(value: string | undefined): string | null {
  if (value === undefined) return null;
  const { maximum, minimum } = SECRET_LENGTH;
  if (value.length < minimum || value.length > maximum) {
    throw refuse('secret', `must have ${minimum} to ${maximum} characters.`);
  }
  return value;
}

function readToken(value: string | undefined): string | null {
  if (value === undefined) return null;
  return readPattern('token', value, TOKEN_PATTERN, 'must be the token of an HTTP Event Collector: a GUID.');
}

const HOST_CAUSE = 'must be a domain name, without scheme, port or path.';
const SOURCE_CAUSE = 'must be at most 75 letters, digits, dots, hyphens or underscores.';

/** 400 E0000001 naming `type` or the member of `settings`. */
export function readSettings(type: string, input: SettingsInput): GivenSettings {
  switch (type) {
    case 'aws_eventbridge': {
      const settings: AwsSettings = {
        type,
        accountId: readPattern('accountId', input.accountId, ACCOUNT_ID_PATTERN, 'must be 12 digits.'),
        eventSourceName: readPattern('eventSourceName', input.eventSourceName, EVENT_SOURCE_PATTERN, SOURCE_CAUSE),
        region: readWord('region', input.region, Object.keys(AWS_REGIONS)),
      };
      return { settings, secret: null };
    }
    case 'splunk_cloud_logstreaming': {
      const host = readPattern('host', input.host, HOST_PATTERN, HOST_CAUSE);
      const edition = readWord('edition', input.edition, SPLUNK_EDITIONS);
      return { settings: { type, host, edition }, secret: readToken(input.token) };
    }
    case 'https_ndjson': {
      const settings: HttpsSettings = { type, url: readUrl(input.url), gzip: input.gzip ?? true };
      return { settings, secret: readSecret(input.secret) };
    }
    case 'file_ndjson': {
      const settings: FileSettings = {
        type,
        maximumMegabytes: readCount('maximumMegabytes', input.maximumMegabytes, MEGABYTES),
        maximumFiles: readCount('maximumFiles', input.maximumFiles, FILES),
      };
      return { settings, secret: null };
    }
    default:
      throw invalid('type', `type: must be one of ${LOG_STREAM_TYPES.join(', ')}.`);
  }
}

/** The member of `settings` that holds the secret; null when the type has none. */
export function secretMember(type: LogStreamType): 'token' | 'secret' | null {
  if (type === 'splunk_cloud_logstreaming') return 'token';
  return type === 'https_ndjson' ? 'secret' : null;
}

/** 400 E0000001: the type requires a secret. */
export const secretMissing = (type: LogStreamType): ApiError =>
  refuse(secretMember(type) ?? '', 'The field cannot be left blank');

const AWS_MEMBERS = ['accountId', 'eventSourceName', 'region'] as const;

/** 400 E0000001 for another type, or other settings of a bus, because the contract lets neither change. */
export function refuseUnchangeable(before: LogStreamSettings, after: LogStreamSettings): void {
  if (before.type !== after.type) throw invalid('type', 'type: The type of a log stream cannot be changed.');
  if (before.type !== 'aws_eventbridge' || after.type !== 'aws_eventbridge') return;
  for (const member of AWS_MEMBERS) {
    if (before[member] !== after[member]) throw refuse(member, 'This setting cannot be changed.');
  }
}

function isSamePlace(before: LogStreamSettings, after: LogStreamSettings): boolean {
  if (before.type === 'splunk_cloud_logstreaming' && after.type === 'splunk_cloud_logstreaming') {
    return before.host.toLowerCase() === after.host.toLowerCase() && before.edition === after.edition;
  }
  if (before.type === 'https_ndjson' && after.type === 'https_ndjson') {
    return isSameOrigin(before.url, after.url);
  }
  return true;
}

/**
 * Keeps a secret that the body leaves out only where it goes to the same place. Otherwise a caller who may change the
 * place but does not know the secret could have it sent to a place of their own. 400 E0000001.
 */
export function refuseSecretElsewhere(before: LogStreamSettings, after: LogStreamSettings): void {
  if (isSamePlace(before, after)) return;
  throw refuse(secretMember(before.type) ?? '', 'The stored value is not used elsewhere: give it again.');
}
