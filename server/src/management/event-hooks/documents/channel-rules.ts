import { type ApiError, invalid } from '../../../kernel/errors/errors.ts';
import { required, tooLong, tooMany } from '../../../kernel/errors/field-errors.ts';
import { isSameOrigin } from '../../../kernel/words/origin.ts';
import type { ChannelInput } from '../contract.ts';

export interface HookHeader {
  readonly key: string;
  readonly value: string;
}

/** The destination of events, without the secret. */
export interface HookChannel {
  readonly uri: string;
  readonly headers: readonly HookHeader[];
  /** The name of the header that contains the secret. It is null if deliveries contain no secret. */
  readonly authKey: string | null;
}

export const CHANNEL_VERSION = '1.0.0';
const MAXIMUM_URI_LENGTH = 1_024;
const MAXIMUM_HEADERS = 20;
const MAXIMUM_NAME_LENGTH = 128;
const MAXIMUM_VALUE_LENGTH = 1_024;
const MAXIMUM_SECRET_LENGTH = 4_096;

/** RFC 3986 2 allows none of these characters in URIs. */
const FOREIGN = /[^\x21-\x7e]|[\\<>"^`{|}]/;
/** The form of a `token` (RFC 9110 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
/** The form of a header's value: visible ASCII characters, with spaces and tabs only between them. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Channels must not set these headers, because deliveries set them or they describe the message or the connection. */
const RESERVED: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

const URI = 'channel.config.uri';
const HEADERS = 'channel.config.headers';
const AUTHENTICATION = 'channel.config.authScheme';

function readUri(text: string): string {
  if (text === '') throw required(URI);
  if (text.length > MAXIMUM_URI_LENGTH) throw tooLong(URI, MAXIMUM_URI_LENGTH);
  const url = !FOREIGN.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw invalid(URI, 'must be an absolute URI.');
  if (!/^https:\/\/[^/]/i.test(text)) throw invalid(URI, 'must have the scheme https.');
  if (url.username !== '' || url.password !== '') throw invalid(URI, 'must not contain a user name.');
  if (text.includes('#')) throw invalid(URI, 'must not contain a fragment.');
  return text;
}

function readHeaderName(field: string, name: string, word: string): string {
  if (!HEADER_NAME.test(name)) throw invalid(field, 'must be the name of a header.');
  if (name.length > MAXIMUM_NAME_LENGTH) throw tooLong(field, MAXIMUM_NAME_LENGTH);
  const key = name.toLowerCase();
  if (RESERVED.has(key) || key.startsWith(`x-${word}-`))
    throw invalid(field, `must not be ${name}, which the service sets.`);
  return name;
}

function readHeaders(given: readonly HookHeader[], word: string): HookHeader[] {
  if (given.length > MAXIMUM_HEADERS) throw tooMany(HEADERS, MAXIMUM_HEADERS, 'headers');
  return given.map(({ key, value }, index) => {
    const field = `${HEADERS}[${index}]`;
    if (value.length > MAXIMUM_VALUE_LENGTH) {
      throw tooLong(`${field}.value`, MAXIMUM_VALUE_LENGTH);
    }
    if (!HEADER_VALUE.test(value))
      throw invalid(`${field}.value`, 'must be visible ASCII characters, with blanks only between them.');
    return { key: readHeaderName(`${field}.key`, key, word), value };
  });
}

type AuthenticationInput = NonNullable<ChannelInput['config']['authScheme']>;

function readAuthentication(given: AuthenticationInput, word: string): { key: string; secret: string | null } {
  if ((given.type ?? 'HEADER') !== 'HEADER') throw invalid(`${AUTHENTICATION}.type`, 'must be HEADER.');
  const key = readHeaderName(`${AUTHENTICATION}.key`, given.key ?? 'Authorization', word);
  const { value } = given;
  if (value === undefined) return { key, secret: null };
  const field = `${AUTHENTICATION}.value`;
  if (value === '') throw required(field);
  if (value.length > MAXIMUM_SECRET_LENGTH) {
    throw tooLong(field, MAXIMUM_SECRET_LENGTH);
  }
  if (!HEADER_VALUE.test(value))
    throw invalid(field, 'must be visible ASCII characters, with blanks only between them.');
  return { key, secret: value };
}

function refuseDuplicates(names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name.toLowerCase())) throw invalid(HEADERS, `must not name ${name} twice.`);
    seen.add(name.toLowerCase());
  }
}

export function readChannel(input: ChannelInput, word: string): { channel: HookChannel; secret: string | null } {
  const { authScheme, headers, method, uri } = input.config;
  if (input.type !== 'HTTP') throw invalid('channel.type', 'must be HTTP.');
  if (input.version !== CHANNEL_VERSION) throw invalid('channel.version', `must be ${CHANNEL_VERSION}.`);
  if ((method ?? 'POST') !== 'POST') throw invalid('channel.config.method', 'must be POST.');
  const authentication = authScheme === undefined || authScheme === null ? null : readAuthentication(authScheme, word);
  const channel = {
    uri: readUri(uri),
    headers: readHeaders(headers ?? [], word),
    authKey: authentication?.key ?? null,
  };
  refuseDuplicates([...channel.headers.map(({ key }) => key), ...(channel.authKey === null ? [] : [channel.authKey])]);
  return { channel, secret: authentication?.secret ?? null };
}

/** Without a secret, deliveries would not contain the header that authenticates them. */
export const secretMissing = (): ApiError =>
  invalid(`${AUTHENTICATION}.value`, 'is required, because no value is stored for this hook.');

/** Callers who do not know the stored secret could otherwise have it sent to an address of their own. */
export function refuseSecretElsewhere(before: HookChannel, after: HookChannel): void {
  const isThere = isSameOrigin(before.uri, after.uri);
  if (isThere && before.authKey?.toLowerCase() === after.authKey?.toLowerCase()) return;
  const what = isThere ? 'under another header' : 'to another origin';
  throw invalid(`${AUTHENTICATION}.value`, `must be given again, because a stored value is never sent ${what}.`);
}
