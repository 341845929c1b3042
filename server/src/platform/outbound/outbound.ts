import { lookup as resolve } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import type { OrgId } from '../../kernel/words/ids.ts';
import { assertReachable, type ConnectOptions, guardedConnector, isUsualPort, type Lookup } from './connect.ts';
import { withDeadline } from './deadline.ts';
import { type Networks, networksOf } from './networks.ts';
import { OutboundError } from './outbound-error.ts';

export interface OutboundOptions {
  /** CIDR blocks in which private addresses and all ports may be reached. Forbidden addresses stay forbidden. */
  readonly networks: readonly string[];
  readonly lookup?: Lookup;
  /** Certificates (PEM) of authorities to trust in addition to those of Node.js. */
  readonly trustedAuthorities?: readonly string[];
}

export interface OutboundLimits {
  readonly maximumBytes: number;
  /** The time limit for the whole request: name resolution, connection, headers and body. */
  readonly timeoutMilliseconds: number;
}

export interface OutboundRequest {
  /** Each org has its own connections, so that orgs do not wait for each other. */
  readonly orgId: OrgId;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly limits: OutboundLimits;
  /** The signal ends the request early, as if it had timed out. */
  readonly signal?: AbortSignal;
}

export interface OutboundAnswer {
  readonly status: number;
  /** The names of the headers are in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body, cut off at the limit. A host may compress it without being asked. */
  readonly body: Buffer;
}

export interface Outbound {
  /** Accepts any response status and follows no redirect. Throws OutboundError. */
  send(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Accepts only status 200 with a JSON document. Throws OutboundError. */
  getJson(orgId: OrgId, url: string, limits: OutboundLimits): Promise<unknown>;
  close(): Promise<void>;
}

const MAXIMUM_HEADER_BYTES = 16_384;
/** The maximum number of connections to a host for each org. */
const CONNECTIONS_PER_HOST = 4;
/** The maximum number of 1xx responses to one request. */
const MOST_PRELIMINARY_ANSWERS = 16;

const resolveAll: Lookup = (hostname) => resolve(hostname, { all: true, verbatim: true });

/**
 * Parsing turns hosts such as `0`, `0x7f.1` or `2130706433` into plain IPv4 addresses, so that they are checked as
 * addresses.
 */
function readUrl(text: string, networks: Networks, hasNetworks: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw new OutboundError('url');
  }
  // If the operator has listed no networks, only port 443 can be reached.
  if (!isUsualPort(url.port) && !hasNetworks) throw new OutboundError('port');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) assertReachable(host, url.port, networks);
  return url;
}

async function readBody(body: Dispatcher.ResponseData['body'], maximumBytes: number): Promise<[Buffer, boolean]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    chunks.push(bytes);
    // Leaving the loop closes the connection, so the rest of the response is not read.
    if (size > maximumBytes) return [Buffer.concat(chunks).subarray(0, maximumBytes), true];
  }
  return [Buffer.concat(chunks), false];
}

async function readWholeBody(body: Dispatcher.ResponseData['body'], maximumBytes: number): Promise<Buffer> {
  const [bytes, isCut] = await readBody(body, maximumBytes);
  if (isCut) throw new OutboundError('tooLarge');
  return bytes;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch (cause) {
    throw new OutboundError('notJson', { cause });
  }
}

function refusalOf({ headers, statusCode }: Dispatcher.ResponseData, maximumBytes: number): OutboundError | null {
  if (statusCode !== 200) return new OutboundError('status');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return new OutboundError('encoding');
  return Number(headers['content-length'] ?? 0) > maximumBytes ? new OutboundError('tooLarge') : null;
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && ['TimeoutError', 'AbortError', 'ConnectTimeoutError'].includes(error.name);

function asOutboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  return new OutboundError(isTimeout(error) ? 'timeout' : 'unreachable', { cause: error });
}

/** Options that end a request when its signal fires, or after too many 1xx responses. */
interface Reins {
  readonly signal: AbortSignal;
  readonly onInfo: () => void;
}

async function getJson(agent: Agent, url: URL, limits: OutboundLimits, reins: Reins): Promise<unknown> {
  const response = await agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'GET',
    headers: { accept: 'application/json, application/jwk-set+json', 'accept-encoding': 'identity' },
    ...reins,
  });
  const refusal = refusalOf(response, limits.maximumBytes);
  if (refusal === null) return parseJson(await readWholeBody(response.body, limits.maximumBytes));
  // A body that is destroyed unread emits an error. Without a listener, that would be an uncaught exception.
  response.body.on('error', () => undefined);
  response.body.destroy();
  throw refusal;
}

async function send(agent: Agent, url: URL, request: OutboundRequest, reins: Reins): Promise<OutboundAnswer> {
  const { body, headers, limits, method } = request;
  const response = await agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers: { 'accept-encoding': 'identity', ...headers },
    body: body ?? null,
    ...reins,
  });
  const [bytes] = await readBody(response.body, limits.maximumBytes);
  return { status: response.statusCode, headers: response.headers, body: bytes };
}

const timeIsOver = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new OutboundError('timeout')), { once: true });
  });

interface Ways {
  readonly by: <Answer>(orgId: OrgId, ask: (agent: Agent) => Promise<Answer>) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

/** Loads undici on first use, because it needs several megabytes of memory. */
async function loadAgents(options: ConnectOptions): Promise<() => Agent> {
  const undici = await import('undici');
  const connect = guardedConnector(undici.buildConnector, options);
  // With `pipelining: 0`, every request opens its own connection, so the address is checked for each request.
  return () =>
    new undici.Agent({
      connect,
      connections: CONNECTIONS_PER_HOST,
      maxHeaderSize: MAXIMUM_HEADER_BYTES,
      pipelining: 0,
    });
}

/** An org has connections only while it has requests in progress. */
function waysOf(options: ConnectOptions): Ways {
  const open = new Map<OrgId, { readonly agent: Agent; underWay: number }>();
  let loading: Promise<() => Agent> | undefined;
  return {
    by: async (orgId, ask) => {
      loading ??= loadAgents(options);
      const newAgent = await loading;
      const way = open.get(orgId) ?? { agent: newAgent(), underWay: 0 };
      open.set(orgId, way);
      way.underWay += 1;
      try {
        return await ask(way.agent);
      } finally {
        way.underWay -= 1;
        if (way.underWay === 0) {
          open.delete(orgId);
          await way.agent.destroy();
        }
      }
    },
    close: async () => {
      await Promise.all([...open.values()].map(({ agent }) => agent.destroy()));
    },
  };
}

async function reined<Answer>(outer: AbortSignal, ask: (reins: Reins) => Promise<Answer>): Promise<Answer> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  outer.addEventListener('abort', abort, { once: true });
  let answers = 0;
  const onInfo = (): void => {
    answers += 1;
    if (answers > MOST_PRELIMINARY_ANSWERS) abort();
  };
  try {
    return await ask({ signal: controller.signal, onInfo });
  } catch (error) {
    throw answers > MOST_PRELIMINARY_ANSWERS ? new OutboundError('tooLarge', { cause: error }) : error;
  } finally {
    outer.removeEventListener('abort', abort);
  }
}

/** Creates the sender of requests to URLs that clients chose. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { lookup = resolveAll, trustedAuthorities = [] } = options;
  const networks = networksOf(options.networks);
  const ways = waysOf({ networks, lookup, trustedAuthorities });
  async function within<Answer>(
    text: string,
    { milliseconds, orgId, outer }: { milliseconds: number; orgId: OrgId; outer?: AbortSignal | undefined },
    ask: (agent: Agent, url: URL, reins: Reins) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      const url = readUrl(text, networks, options.networks.length > 0);
      return await withDeadline(milliseconds, outer, (signal) => {
        signal.throwIfAborted();
        const answer = reined(signal, (reins) => ways.by(orgId, (agent) => ask(agent, url, reins)));
        return Promise.race([answer, timeIsOver(signal)]);
      });
    } catch (error) {
      throw asOutboundError(error);
    }
  }
  return {
    getJson: (orgId, url, limits) =>
      within(url, { milliseconds: limits.timeoutMilliseconds, orgId }, (agent, parsed, reins) =>
        getJson(agent, parsed, limits, reins),
      ),
    send: (request) =>
      within(
        request.url,
        { milliseconds: request.limits.timeoutMilliseconds, orgId: request.orgId, outer: request.signal },
        (agent, parsed, reins) => send(agent, parsed, request, reins),
      ),
    close: ways.close,
  };
}
