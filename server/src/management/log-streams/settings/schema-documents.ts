import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { NAME_PATTERN } from './name-rules.ts';
import {
  ACCOUNT_ID_PATTERN,
  AWS_REGIONS,
  EVENT_SOURCE_PATTERN,
  FILES,
  HOST_PATTERN,
  LOG_STREAM_TYPES,
  type LogStreamType,
  MAXIMUM_URL_LENGTH,
  MEGABYTES,
  SECRET_LENGTH,
  TOKEN_PATTERN,
} from './settings-rules.ts';

type Document = Readonly<Record<string, unknown>>;

interface TypeDescription {
  readonly title: string;
  readonly properties: Readonly<Record<string, Document>>;
  readonly required: readonly string[];
  /** Messages for a member that does not match. */
  readonly errors: Readonly<Record<string, string>>;
}

/** `writeOnce` members can't be changed later. */
const text = (title: string, description: string, more: Document = {}): Document => ({
  title,
  description,
  type: 'string',
  writeOnce: false,
  ...more,
});

const named = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, title]) => ({ const: value, title }));

/** `bounds` are keywords of JSON Schema. */
const count = (title: string, description: string, bounds: Document): Document => ({
  title,
  description,
  type: 'integer',
  writeOnce: false,
  ...bounds,
});

const DESCRIPTIONS: Readonly<Record<LogStreamType, TypeDescription>> = {
  aws_eventbridge: {
    title: 'AWS EventBridge',
    properties: {
      accountId: text('AWS account ID', 'Account that the event bus belongs to.', {
        pattern: ACCOUNT_ID_PATTERN,
        writeOnce: true,
      }),
      eventSourceName: text('Event source name', 'Source of the events, and name of the event bus.', {
        pattern: EVENT_SOURCE_PATTERN,
        writeOnce: true,
      }),
      region: text('AWS region', 'Region of the event bus.', { oneOf: named(AWS_REGIONS), writeOnce: true }),
    },
    required: ['eventSourceName', 'accountId', 'region'],
    errors: {
      accountId: 'An account ID has 12 digits.',
      eventSourceName: 'At most 75 letters, digits, ".", "-" or "_".',
    },
  },
  splunk_cloud_logstreaming: {
    title: 'Splunk Cloud',
    properties: {
      host: text('Host', 'Domain name of the instance: acme.splunkcloud.com.', { pattern: HOST_PATTERN }),
      edition: text('Edition', 'Where the instance runs.', {
        oneOf: named({ aws: 'AWS', aws_govcloud: 'AWS GovCloud', gcp: 'Google Cloud' }),
      }),
      token: text('HEC token', 'Token of the HTTP Event Collector. It is never shown.', {
        pattern: TOKEN_PATTERN,
        writeOnly: true,
      }),
    },
    required: ['host', 'edition', 'token'],
    errors: { host: 'A domain name, without https, port or path.', token: 'A token is a GUID.' },
  },
  https_ndjson: {
    title: 'NDJSON over HTTPS',
    properties: {
      url: text('URL', 'Where batches are sent.', { pattern: '^https://[^/#]+[^#]*$', maxLength: MAXIMUM_URL_LENGTH }),
      gzip: {
        title: 'Compressed',
        description: 'Whether bodies are compressed.',
        type: 'boolean',
        default: true,
        writeOnce: false,
      },
      secret: text('Secret', 'Signs batches. It is never shown.', {
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
    properties: {
      maximumMegabytes: count('Megabytes of a file', 'From which size on another file is begun.', MEGABYTES),
      maximumFiles: count('Files', 'How many are kept; the oldest beyond are removed.', FILES),
    },
    required: [],
    errors: {},
  },
};

function documentOf(type: LogStreamType, { baseUrl }: Context): Document {
  const { errors, properties, required, title } = DESCRIPTIONS[type];
  const id = `${baseUrl}/api/v1/meta/schemas/logStream/${type}`;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: id,
    // The contract's own documents use either name.
    id,
    title,
    type: 'object',
    properties: {
      name: text('Name', 'Name of the log stream.', { pattern: NAME_PATTERN }),
      settings: {
        description: `Settings of ${title}`,
        type: 'object',
        properties,
        required,
        errorMessage: { properties: errors },
      },
    },
    required: ['name', 'settings'],
    errorMessage: { properties: { name: 'A name has at most 100 characters.' } },
    _links: { self: { href: id, method: 'GET' } },
  };
}

export const logStreamSchemas = (context: Context): Document[] =>
  LOG_STREAM_TYPES.map((type) => documentOf(type, context));

/** 404 E0000007 for unknown types. */
export function getLogStreamSchema(context: Context, name: string): Document {
  const type = LOG_STREAM_TYPES.find((known) => known === name);
  if (type === undefined) throw notFound(name, 'LogStreamSchema');
  return documentOf(type, context);
}
