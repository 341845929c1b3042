import { lookup as resolve } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { assertReachable, guardedConnector, type Lookup } from './connect.ts';
import { OutboundError } from './outbound-error.ts';

export interface OutboundOptions {
  /** Also this machine and private networks, and any port: for installations that have their key hosts there. */
  readonly allowPrivate: boolean;
  /** The system's resolver unless given. */
  readonly lookup?: Lookup;
  /** PEM certificates of authorities that are trusted besides the usual ones. */
  readonly trustedAuthorities?: readonly string[];
}

export interface OutboundLimits {
  readonly maximumBytes: number;
  /** For all of it: name, connection, headers and body. */
  readonly timeoutMilliseconds: number;
}

export interface Outbound {
  /** Reads a JSON document by GET. Throws OutboundError and nothing else; follows no redirect. */
  getJson(url: string, limits: OutboundLimits): Promise<unknown>;
  close(): Promise<void>;
}

const MAXIMUM_HEADER_BYTES = 16_384;
const CONNECTIONS_PER_HOST = 4;

const resolveAll: Lookup = (hostname) => resolve(hostname, { all: true, verbatim: true });

/** The address taken apart; hosts such as `0`, `0x7f.1` or `2130706433` have become plain IPv4 addresses by it. */
function readUrl(text: string, allowPrivate: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw new OutboundError('url');
  }
  if (url.port !== '' && !allowPrivate) throw new OutboundError('port');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) assertReachable(host, allowPrivate);
  return url;
}

async function readBody(body: Dispatcher.ResponseData['body'], maximumBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    // Leaving the loop ends the connection: what else the host would send is not read.
    if (size > maximumBytes) throw new OutboundError('tooLarge');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch (cause) {
    throw new OutboundError('notJson', { cause });
  }
}

/** Why an answer is not looked into, or null. */
function refusalOf({ headers, statusCode }: Dispatcher.ResponseData, maximumBytes: number): OutboundError | null {
  if (statusCode !== 200) return new OutboundError('status');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return new OutboundError('encoding');
  return Number(headers['content-length'] ?? 0) > maximumBytes ? new OutboundError('tooLarge') : null;
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || error.name === 'ConnectTimeoutError');

function asOutboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  return new OutboundError(isTimeout(error) ? 'timeout' : 'unreachable', { cause: error });
}

async function getJson(agent: Agent, url: URL, limits: OutboundLimits, signal: AbortSignal): Promise<unknown> {
  const response = await agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'GET',
    headers: { accept: 'application/json, application/jwk-set+json', 'accept-encoding': 'identity' },
    signal,
  });
  const refusal = refusalOf(response, limits.maximumBytes);
  if (refusal === null) return parseJson(await readBody(response.body, limits.maximumBytes));
  // What is thrown away unread ends with an error of its own.
  response.body.on('error', () => undefined);
  response.body.destroy();
  throw refusal;
}

/** Rejects when the time is over: the agent looks at a signal only once it has a connection. */
const timeIsOver = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new OutboundError('timeout')), { once: true });
  });

/** The way out to addresses that clients chose (security.md row 101). Connects to nothing before it is used. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { allowPrivate, lookup = resolveAll, trustedAuthorities = [] } = options;
  const agent = new Agent({
    connect: guardedConnector({ allowPrivate, lookup, trustedAuthorities }),
    connections: CONNECTIONS_PER_HOST,
    maxHeaderSize: MAXIMUM_HEADER_BYTES,
    // Every request is a connection of its own, whose address was judged for it.
    pipelining: 0,
  });
  return {
    getJson: async (text, limits) => {
      try {
        const url = readUrl(text, allowPrivate);
        const signal = AbortSignal.timeout(limits.timeoutMilliseconds);
        return await Promise.race([getJson(agent, url, limits, signal), timeIsOver(signal)]);
      } catch (error) {
        throw asOutboundError(error);
      }
    },
    close: () => agent.destroy(),
  };
}
