import { type Static, Type } from '@sinclair/typebox';
import { AWS_REGIONS } from './aws-regions-rules.ts';
import {
  alternatives,
  countDocument,
  readCount,
  readHttpsUrl,
  readLength,
  readPattern,
  readWord,
  textDocument,
} from './member-rules.ts';
import type { StreamTypeRow } from './type-row-rules.ts';

const given = (description: string) => Type.Optional(Type.String({ description }));

// The declarations that follow are for the type aws_eventbridge.

export interface AwsSettings {
  readonly type: 'aws_eventbridge';
  readonly accountId: string;
  readonly eventSourceName: string;
  readonly region: string;
}

const AWS_INPUT = {
  accountId: given('For `aws_eventbridge`: the account id, of 12 digits.'),
  eventSourceName: given('For `aws_eventbridge`: the name of the event source, at most 75 characters.'),
  region: given('For `aws_eventbridge`: the AWS region.'),
};

const ACCOUNT_ID_PATTERN = '^\\d{12}$';
const EVENT_SOURCE_PATTERN = '^[.\\-_A-Za-z0-9]{1,75}$';
const EVENT_SOURCE_CAUSE = 'must be at most 75 letters, digits, dots, hyphens or underscores.';

// The declarations that follow are for the type splunk_cloud_logstreaming.

const SPLUNK_EDITIONS = { aws: 'AWS', aws_govcloud: 'AWS GovCloud', gcp: 'Google Cloud' } as const;
type SplunkEdition = keyof typeof SPLUNK_EDITIONS;

/** The settings without the secret. */
export interface SplunkSettings {
  readonly type: 'splunk_cloud_logstreaming';
  /** The host name of the Splunk instance, without scheme, port or path. */
  readonly host: string;
  readonly edition: SplunkEdition;
}

const SPLUNK_INPUT = {
  host: given('For `splunk_cloud_logstreaming`: the domain name of the instance.'),
  edition: given('For `splunk_cloud_logstreaming`: the edition, `aws`, `aws_govcloud` or `gcp`.'),
  token: given('For `splunk_cloud_logstreaming`: the token of the HTTP Event Collector. No response contains it.'),
};

/** A host name has at least two labels. The last label contains a letter, so that an IP address does not match. */
const HOST_PATTERN =
  '^(?=.{1,116}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+' +
  '(?=[A-Za-z0-9-]*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$';
const HOST_CAUSE = 'must be a domain name, without scheme, port or path.';
const TOKEN_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
const TOKEN_CAUSE = 'must be the token of an HTTP Event Collector: a GUID.';

// The declarations that follow are for the type https_ndjson.

/** The settings without the secret. */
export interface HttpsSettings {
  readonly type: 'https_ndjson';
  readonly url: string;
  readonly gzip: boolean;
}

const HTTPS_INPUT = {
  url: given('For `https_ndjson`: the address that gets the batches, at most 1,024 characters.'),
  gzip: Type.Optional(
    Type.Boolean({ description: 'For `https_ndjson`: whether bodies are compressed. The default is `true`.' }),
  ),
  secret: given(
    'For `https_ndjson`: the secret that signs batches, of 16 to 1,024 characters. No response contains it.',
  ),
};

const MAXIMUM_URL_LENGTH = 1_024;
const SECRET_LENGTH = { minimum: 16, maximum: 1_024 };

/** The query of a URL often contains credentials, which the log must not show. */
const withoutQuery = (url: string): string => (url.includes('?') ? `${url.slice(0, url.indexOf('?'))}?...` : url);

// The declarations that follow are for the type file_ndjson.

export interface FileSettings {
  readonly type: 'file_ndjson';
  readonly maximumMegabytes: number;
  readonly maximumFiles: number;
}

const FILE_INPUT = {
  maximumMegabytes: Type.Optional(
    Type.Number({
      description: 'For `file_ndjson`: the size at which a file is closed, from 1 to 1,024 MB. The default is 100.',
    }),
  ),
  maximumFiles: Type.Optional(
    Type.Number({
      description: 'For `file_ndjson`: the number of files that are kept, from 1 to 1,000. The default is 30.',
    }),
  ),
};

const MEGABYTES = { minimum: 1, maximum: 1_024, default: 100 };
const FILES = { minimum: 1, maximum: 1_000, default: 30 };

// The declarations that follow are for all types.

interface SettingsByType {
  readonly aws_eventbridge: AwsSettings;
  readonly splunk_cloud_logstreaming: SplunkSettings;
  readonly https_ndjson: HttpsSettings;
  readonly file_ndjson: FileSettings;
}

/** Members that belong to other types of streams are ignored. */
export const SettingsInputSchema = Type.Object(
  { ...AWS_INPUT, ...SPLUNK_INPUT, ...HTTPS_INPUT, ...FILE_INPUT },
  { description: 'The settings of the stream, which depend on its type.' },
);
export type SettingsInput = Static<typeof SettingsInputSchema>;

export type LogStreamType = keyof SettingsByType;
export type SettingsOf<Name extends LogStreamType> = SettingsByType[Name];
export type LogStreamSettings = SettingsOf<LogStreamType>;

const whole = <Settings>(settings: Settings): Settings => settings;

type StreamTypes = { readonly [Name in LogStreamType]: StreamTypeRow<SettingsInput, SettingsOf<Name>> };

export const STREAM_TYPES: StreamTypes = {
  aws_eventbridge: {
    title: 'AWS EventBridge',
    read: ({ accountId, eventSourceName, region }) => ({
      type: 'aws_eventbridge',
      accountId: readPattern('accountId', accountId, ACCOUNT_ID_PATTERN, 'must be 12 digits.'),
      eventSourceName: readPattern('eventSourceName', eventSourceName, EVENT_SOURCE_PATTERN, EVENT_SOURCE_CAUSE),
      region: readWord('region', region, Object.keys(AWS_REGIONS)),
    }),
    secret: null,
    hasOperatorCredentials: true,
    logged: whole,
    members: {
      accountId: textDocument('AWS account ID', 'Account that the event bus belongs to.', {
        pattern: ACCOUNT_ID_PATTERN,
        writeOnce: true,
      }),
      eventSourceName: textDocument('Event source name', 'Source of the events, and name of the event bus.', {
        pattern: EVENT_SOURCE_PATTERN,
        writeOnce: true,
      }),
      region: textDocument('AWS region', 'Region of the event bus.', {
        oneOf: alternatives(AWS_REGIONS),
        writeOnce: true,
      }),
    },
    required: ['eventSourceName', 'accountId', 'region'],
    errors: {
      accountId: 'An account ID has 12 digits.',
      eventSourceName: 'At most 75 letters, digits, ".", "-" or "_".',
    },
  },
  splunk_cloud_logstreaming: {
    title: 'Splunk Cloud',
    read: ({ edition, host }) => ({
      type: 'splunk_cloud_logstreaming',
      host: readPattern('host', host, HOST_PATTERN, HOST_CAUSE),
      edition: readWord('edition', edition, Object.keys(SPLUNK_EDITIONS) as readonly SplunkEdition[]),
    }),
    secret: {
      name: 'token',
      read: (value) => readPattern('token', value, TOKEN_PATTERN, TOKEN_CAUSE),
      placeOf: ({ edition, host }) => `${edition} ${host.toLowerCase()}`,
    },
    hasOperatorCredentials: false,
    logged: whole,
    members: {
      host: textDocument('Host', 'Domain name of the instance: acme.splunkcloud.com.', { pattern: HOST_PATTERN }),
      edition: textDocument('Edition', 'Where the instance runs.', { oneOf: alternatives(SPLUNK_EDITIONS) }),
      token: textDocument('HEC token', 'Token of the HTTP Event Collector. It is never shown.', {
        pattern: TOKEN_PATTERN,
        writeOnly: true,
      }),
    },
    required: ['host', 'edition', 'token'],
    errors: { host: 'A domain name, without https, port or path.', token: 'A token is a GUID.' },
  },
  https_ndjson: {
    title: 'NDJSON over HTTPS',
    read: ({ gzip, url }) => ({
      type: 'https_ndjson',
      url: readHttpsUrl('url', url, MAXIMUM_URL_LENGTH),
      gzip: gzip ?? true,
    }),
    secret: {
      name: 'secret',
      read: (value) => readLength('secret', value, SECRET_LENGTH),
      placeOf: ({ url }) => new URL(url).origin,
    },
    hasOperatorCredentials: false,
    logged: (settings) => ({ ...settings, url: withoutQuery(settings.url) }),
    members: {
      url: textDocument('URL', 'Where batches are sent.', {
        pattern: '^https://[^/#]+[^#]*$',
        maxLength: MAXIMUM_URL_LENGTH,
      }),
      gzip: {
        title: 'Compressed',
        description: 'Whether bodies are compressed.',
        type: 'boolean',
        default: true,
        writeOnce: false,
      },
      secret: textDocument('Secret', 'Signs batches. It is never shown.', {
        minLength: SECRET_LENGTH.minimum,
        maxLength: SECRET_LENGTH.maximum,
        writeOnly: true,
      }),
    },
    required: ['url', 'secret'],
    errors: {
      url: 'An address that begins with https://, without a fragment.',
      secret: `At least ${SECRET_LENGTH.minimum} characters.`,
    },
  },
  file_ndjson: {
    title: 'NDJSON files',
    read: ({ maximumFiles, maximumMegabytes }) => ({
      type: 'file_ndjson',
      maximumMegabytes: readCount('maximumMegabytes', maximumMegabytes, MEGABYTES),
      maximumFiles: readCount('maximumFiles', maximumFiles, FILES),
    }),
    secret: null,
    hasOperatorCredentials: false,
    logged: whole,
    members: {
      maximumMegabytes: countDocument('Megabytes of a file', 'From which size on another file is begun.', MEGABYTES),
      maximumFiles: countDocument('Files', 'How many are kept; the oldest beyond are removed.', FILES),
    },
    required: [],
    errors: {},
  },
};

export const LOG_STREAM_TYPES = Object.keys(STREAM_TYPES) as readonly LogStreamType[];
