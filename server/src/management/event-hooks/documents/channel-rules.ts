import { type ApiError, invalid } from '../../../kernel/errors/errors.ts';
import { isSameOrigin } from '../../../kernel/words/origin.ts';
import type { ChannelInput } from '../contract.ts';

export interface HookHeader {
  readonly key: string;
  readonly value: string;
}

/** The destination of events, without its secret. */
export interface HookChannel {
  readonly uri: string;
  readonly headers: readonly HookHeader[];
  /** Name of the header that carries the secret; null when there is none. */
  readonly authKey: string | null;
}

export const CHANNEL_VERSION = '1.0.0';
const MAXIMUM_URI_LENGTH = 1_024;
const MAXIMUM_HEADERS = 20;
const MAXIMUM_NAME_LENGTH = 128;
const MAXIMUM_VALUE_LENGTH = 1_024;
const MAXIMUM_SECRET_LENGTH = 4_096;

/** Blanks, control characters and characters that programs read differently: RFC 3986 2 allows none in a URI. */
const FOREIGN = /[^\x21-\x7e]|[\\<>"^`{|}]/;
/** `token` of RFC 9110 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
/** Visible ASCII with blanks between, which every receiver reads in the same way (RFC 9110 5.5). */
const HEADER_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers for the framing or routing of a message, and those that deliveries set themselves. */
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

const refuse = (field: string, cause: string): ApiError => invalid(field, `${field}: ${cause}`);

const URI = 'channel.config.uri';
const HEADERS = 'channel.config.headers';
const AUTHENTICATION = 'channel.config.authScheme';

function readUri(text: string): string {
  if (text === '') throw refuse(URI, 'The field cannot be left blank');
  if (text.length > MAXIMUM_URI_LENGTH) throw refuse(URI, `At most ${MAXIMUM_URI_LENGTH} characters are allowed.`);
  const url = !FOREIGN.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw refuse(URI, 'must be an absolute URI.');
  if (!/^https:\/\/[^/]/i.test(text)) throw refuse(URI, 'the scheme must be https.');
  if (url.username !== '' || url.password !== '') throw refuse(URI, 'must not hold a user name.');
  if (text.includes('#')) throw refuse(URI, 'must not hold a fragment.');
  return text;
}

/** `word` is the namespace word, which reserves headers for this service. */
function readHeaderName(field: string, name: string, word: string): string {
  if (!HEADER_NAME.test(name)) throw refuse(field, 'is not the name of a header.');
  if (name.length > MAXIMUM_NAME_LENGTH) throw refuse(field, `At most ${MAXIMUM_NAME_LENGTH} characters are allowed.`);
  const key = name.toLowerCase();
  if (RESERVED.has(key) || key.startsWith(`x-${word}-`)) throw refuse(field, `${name} is set by the service.`);
  return name;
}

function readHeaders(given: readonly HookHeader[], word: string): HookHeader[] {
  if (given.length > MAXIMUM_HEADERS) throw refuse(HEADERS, `At most ${MAXIMUM_HEADERS} headers are allowed.`);
  return given.map(({ key, value }, index) => {
    const field = `${HEADERS}[${index}]`;
    if (value.length > MAXIMUM_VALUE_LENGTH) {
      throw refuse(`${field}.value`, `At most ${MAXIMUM_VALUE_LENGTH} characters are allowed.`);
    }
    if (!HEADER_VALUE.test(value)) throw refuse(`${field}.value`, 'must be visible ASCII characters, blanks between.');
    return { key: readHeaderName(`${field}.key`, key, word), value };
  });
}

type AuthenticationInput = NonNullable<ChannelInput['config']['authScheme']>;

function readAuthentication(given: AuthenticationInput, word: string): { key: string; secret: string | null } {
  if ((given.type ?? 'HEADER') !== 'HEADER') throw refuse(`${AUTHENTICATION}.type`, 'must be HEADER.');
  const key = readHeaderName(`${AUTHENTICATION}.key`, given.key ?? 'Authorization', word);
  const { value } = given;
  if (value === undefined) return { key, secret: null };
  const field = `${AUTHENTICATION}.value`;
  if (value === '') throw refuse(field, 'The field cannot be left blank');
  if (value.length > MAXIMUM_SECRET_LENGTH) {
    throw refuse(field, `At most ${MAXIMUM_SECRET_LENGTH} characters are allowed.`);
  }
  if (!HEADER_VALUE.test(value)) throw refuse(field, 'must be visible ASCII characters, blanks between.');
  return { key, secret: value };
}

function refuseDuplicates(names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name.toLowerCase())) throw refuse(HEADERS, `${name} is given twice.`);
    seen.add(name.toLowerCase());
  }
}

/**
 * Reads the channel in a body, and its secret if there is one. 400 E0000001 naming the field: `channel.type`,
 * `channel.version`, and of `channel.config` the uri, method, `headers[n].key` or `.value`, and members of authScheme.
 */
export function readChannel(input: ChannelInput, word: string): { channel: HookChannel; secret: string | null } {
  const { authScheme, headers, method, uri } = input.config;
  if (input.type !== 'HTTP') throw refuse('channel.type', 'must be HTTP.');
  if (input.version !== CHANNEL_VERSION) throw refuse('channel.version', `must be ${CHANNEL_VERSION}.`);
  if ((method ?? 'POST') !== 'POST') throw refuse('channel.config.method', 'must be POST.');
  const authentication = authScheme === undefined || authScheme === null ? null : readAuthentication(authScheme, word);
  const channel = {
    uri: readUri(uri),
    headers: readHeaders(headers ?? [], word),
    authKey: authentication?.key ?? null,
  };
  refuseDuplicates([...channel.headers.map(({ key }) => key), ...(channel.authKey === null ? [] : [channel.authKey])]);
  return { channel, secret: authentication?.secret ?? null };
}

/** 400 E0000001: a header without a value would be sent empty. */
export const secretMissing = (): ApiError =>
  refuse(`${AUTHENTICATION}.value`, 'The field cannot be left blank: no value is stored for this hook.');

/**
 * Keeps a secret that the body leaves out only where it goes to the same origin under the same name. Otherwise a caller
 * who may change the address but does not know the secret could have it sent to an address of their own. 400 E0000001.
 */
export function refuseSecretElsewhere(before: HookChannel, after: HookChannel): void {
  const isThere = isSameOrigin(before.uri, after.uri);
  if (isThere && before.authKey?.toLowerCase() === after.authKey?.toLowerCase()) return;
  const what = isThere ? 'under another header' : 'to another origin';
  throw refuse(`${AUTHENTICATION}.value`, `The stored value is not sent ${what}: give it again.`);
}
