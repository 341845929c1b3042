import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { ClientContext } from '../../../kernel/client.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { unsupportedCharacter } from '../../../kernel/errors/field-errors.ts';
import { bodyTooLarge } from '../errors/error-rendering.ts';
import { refusalOf } from '../limits/shedding.ts';
import { encodeParameter } from '../lists/link-header.ts';
import type { EdgeOrg, EdgePorts, ZonesAt } from '../ports.ts';
import { MAXIMUM_BODY_BYTES } from '../request/body-limits.ts';
import { addressPrefix, resolveClientAddress } from '../request/client-address.ts';
import type { Host } from '../request/host.ts';
import { checkAccept, checkContentType, type MediaTypeProblem } from '../request/media-types.ts';
import { decodeQuery, findUnsupportedCharacter } from '../request/text-scan.ts';
import { parseUserAgent } from '../request/user-agent.ts';
import type { AnyRoute } from '../route.ts';
import type { AnswerHead } from './answer-head.ts';
import { cameByTls } from './came-by-tls.ts';
import { decideCors } from './cors.ts';
import { type FoundOrg, findOrg, foundOrg } from './find-org.ts';
import { routeAt } from './route-index.ts';
import { singleHeader } from './single-header.ts';

/** A request that has passed the checks of `admit`. */
export interface Admitted extends FoundOrg {
  readonly head: AnswerHead;
  readonly path: string;
  readonly url: string;
  readonly query: readonly (readonly [string, string])[];
  readonly client: ClientContext;
}

type Addresses = ReturnType<typeof resolveClientAddress>;
type BlockingZone = NonNullable<ZonesAt['blockedBy']>;

/** Refuses a request for which the client did not use TLS, before any part of it is trusted. */
function requireTls(ports: EdgePorts, request: FastifyRequest): void {
  if (cameByTls(ports, request)) return;
  throw apiError(
    'E0000002',
    { reason: 'this service accepts HTTPS only' },
    { status: 400, headers: { connection: 'close', upgrade: 'TLS/1.2', 'x-https-required': 'true' } },
  );
}

/** Connections with a request that two parsers could read differently. No later request on them is trusted. */
const distrusted = new WeakSet<Socket>();

export const isDistrusted = (request: FastifyRequest): boolean => distrusted.has(request.raw.socket);

const HOST = 'host';

function hostCount({ raw: { rawHeaders } }: FastifyRequest): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === HOST.length && name.toLowerCase() === HOST) count += 1;
  }
  return count;
}

/**
 * Refuses a request that two parsers could read differently. Runs before any `await`, because one packet may contain
 * several requests, and the later ones must find the connection distrusted.
 */
function checkFraming(request: FastifyRequest): void {
  const coding = request.headers['transfer-encoding'];
  const isFramedOnce = coding === undefined || coding.toLowerCase() === 'chunked';
  // Node uses the first of several Host headers, but a proxy may have used another (RFC 9112 3.2).
  if (isFramedOnce && hostCount(request) <= 1) return;
  distrusted.add(request.raw.socket);
  const reason = isFramedOnce ? 'the Host header is missing or not valid' : 'the Transfer-Encoding is not supported';
  throw apiError('E0000002', { reason }, { headers: { connection: 'close' } });
}

const MAXIMUM_TARGET_CHARACTERS = 8_000;

const targetTooLong = () => apiError('E0000002', { reason: 'the URL is too long' }, { status: 414 });

function checkTarget(request: FastifyRequest): void {
  const target = request.raw.url ?? '';
  if (target.length > MAXIMUM_TARGET_CHARACTERS) throw targetTooLong();
  if (!target.startsWith('/') || target.includes('#')) {
    throw apiError('E0000002', { reason: 'the request target is not a path' });
  }
}

const addressOf = (request: FastifyRequest, { trustedProxies }: EdgeOrg): Addresses =>
  resolveClientAddress({
    socketAddress: request.raw.socket.remoteAddress ?? '',
    forwardedFor: singleHeader(request.headers['x-forwarded-for']),
    trustedProxies,
  });

function describeClient(request: FastifyRequest, { ipAddress, ipChain }: Addresses, { names }: ZonesAt): ClientContext {
  const { headers } = request;
  const { browser, device, os, rawUserAgent } = parseUserAgent(headers['user-agent']);
  return {
    ipAddress,
    ipChain,
    userAgent: { rawUserAgent, os, browser },
    device,
    deviceFingerprint: singleHeader(headers['x-device-fingerprint'])?.slice(0, 256) ?? null,
    acceptLanguage: headers['accept-language']?.slice(0, 256) ?? null,
    zoneNames: names,
  };
}

function refuseBlocked(ports: EdgePorts, org: EdgeOrg, client: ClientContext, zone: BlockingZone, path: string): never {
  ports.refused({ org, kind: 'blocked', zone, client, requestUri: path });
  throw apiError('E0000006');
}

const hasBody = (request: FastifyRequest): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

function checkLengths(request: FastifyRequest, route: AnyRoute | null): void {
  const length = request.headers['content-length'];
  const chunked = request.headers['transfer-encoding'] !== undefined;
  const takesBody = request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH';
  // Without Content-Length and Transfer-Encoding, a request has no body (RFC 9112 6.3). Many operations allow that.
  const needsBody = takesBody && route?.body !== undefined && route.bodyOptional !== true;
  if (needsBody && length === undefined && !chunked) {
    throw apiError('E0000002', { reason: 'Content-Length is required' }, { status: 411 });
  }
  if (length !== undefined && !/^\d{1,15}$/.test(length)) {
    throw apiError('E0000002', { reason: 'the Content-Length is not valid' });
  }
  if (Number(length ?? 0) > (route?.bodyLimit?.bytes ?? MAXIMUM_BODY_BYTES)) throw bodyTooLarge();
}

const CONSUMED = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded'],
  multipart: ['multipart/form-data'],
} as const;

const consumedBy = ({ bodyType = 'json', consumes = [] }: AnyRoute): readonly string[] =>
  bodyType === 'bytes' ? consumes : CONSUMED[bodyType];

type Check = (header: string | undefined, mediaType: string) => MediaTypeProblem | null;

/** Returns null if the header suits any of the media types. Otherwise, returns the problem with the first of them. */
function leastProblem(mediaTypes: readonly string[], header: string | undefined, check: Check) {
  let first: MediaTypeProblem | null = null;
  for (const mediaType of mediaTypes) {
    const problem = check(header, mediaType);
    if (problem === null) return null;
    first ??= problem;
  }
  return first;
}

const NO_OTHERS: readonly string[] = [];

function checkMediaTypes(route: AnyRoute, request: FastifyRequest): void {
  const { accept, 'content-encoding': encoding, 'content-type': contentType } = request.headers;
  if (route.anyAccept !== true) {
    const { alternatives = NO_OTHERS, mediaType = 'application/json' } = route.response;
    const refused = checkAccept(accept, mediaType);
    // Nearly every route has a single media type, which is checked without building a list.
    const isTaken =
      refused === null || (alternatives.length > 0 && leastProblem(alternatives, accept, checkAccept) === null);
    if (!isTaken) throw apiError(refused);
  }
  if (!hasBody(request)) return;
  if (encoding !== undefined && encoding !== 'identity') throw apiError('E0000021');
  const problem = leastProblem(consumedBy(route), contentType, checkContentType);
  if (problem !== null) throw apiError(problem);
}

function checkPath(request: FastifyRequest): void {
  const params = request.params as Readonly<Record<string, string>> | undefined;
  for (const name in params) {
    const value = params[name] ?? '';
    // The router reads `/users/` as the path of a user whose id is empty.
    if (value === '') throw apiError('E0000008');
    if (findUnsupportedCharacter(value)) throw unsupportedCharacter(name);
  }
}

const lengthInLinks = (entries: readonly (readonly [string, string])[]): number =>
  entries.reduce(
    (length, [name, value]) => length + encodeParameter(name).length + encodeParameter(value).length + 2,
    0,
  );

function readQueryText(rawQuery: string): readonly (readonly [string, string])[] {
  const decoded = decodeQuery(rawQuery);
  if (!('entries' in decoded)) throw apiError('E0000002', { reason: `the query is not well-formed: ${decoded.kind}` });
  for (const [name, value] of decoded.entries) {
    if (findUnsupportedCharacter(name) || findUnsupportedCharacter(value)) {
      throw unsupportedCharacter(name);
    }
  }
  // Links to further pages repeat the query, in which short forms such as `+` for a space become longer.
  if (rawQuery.length > MAXIMUM_TARGET_CHARACTERS / 3 && lengthInLinks(decoded.entries) > MAXIMUM_TARGET_CHARACTERS) {
    throw targetTooLong();
  }
  return decoded.entries;
}

/** Counts a request by org and address prefix, in memory. Throws E0000047 beyond the limit. */
function limitAddress(ports: EdgePorts, org: EdgeOrg, client: ClientContext, head: AnswerHead, path: string): void {
  const prefix = addressPrefix(client.ipAddress ?? '');
  const taken = ports.addressLimiter.take(org.orgId, 'address', prefix, ports.addressLimitPerMinute);
  head.rateLimit = taken;
  if (taken.allowed) return;
  ports.refused({ org, kind: 'addressLimit', client, requestUri: path });
  throw apiError('E0000047');
}

const requestedMethodOf = (request: FastifyRequest): string | undefined =>
  singleHeader(request.headers['access-control-request-method']);

/** Sets the CORS headers. Returns true for an allowed preflight. */
function applyCors(ports: EdgePorts, org: EdgeOrg, route: AnyRoute | null, request: FastifyRequest, head: AnswerHead) {
  const decision = decideCors({
    origin: singleHeader(request.headers.origin),
    method: request.method,
    requestedMethod: requestedMethodOf(request),
    trustedOrigins: org.corsOrigins,
    routeCors: route?.cors ?? false,
    headerPrefix: ports.namespace.headerPrefix,
  });
  head.setAll(decision.headers);
  return decision.preflight;
}

/** Makes the checks that come before authentication. Returns null for an allowed preflight. */
export async function admit(
  ports: EdgePorts,
  routes: readonly AnyRoute[],
  head: AnswerHead,
  host: Host | null,
  request: FastifyRequest,
): Promise<Admitted | null> {
  const route = request.routeOptions.config.route ?? null;
  requireTls(ports, request);
  checkFraming(request);
  checkTarget(request);
  if (host === null) throw apiError('E0000002', { reason: 'the Host header is missing or not valid' });
  const isKept = route?.keptWithoutDatabase === true;
  // The org and its zones are nearly always in memory, and each promise costs more than the look-up.
  const finding = findOrg(ports, request, head, host, isKept);
  const { baseUrl, canonicalUrl, org } = foundOrg(ports, host, finding instanceof Promise ? await finding : finding);
  const addresses = addressOf(request, org);
  const locating = ports.zonesAt(org.orgId, addresses.ipAddress, isKept);
  const zones = locating instanceof Promise ? await locating : locating;
  const client = describeClient(request, addresses, zones);
  const [path, rawQuery] = splitTarget(request.raw.url ?? '/');
  if (zones.blockedBy !== null) refuseBlocked(ports, org, client, zones.blockedBy, path);
  const preflighted = request.method === 'OPTIONS' ? routeAt(routes, requestedMethodOf(request), path) : route;
  const isAnswered = applyCors(ports, org, preflighted, request, head);
  limitAddress(ports, org, client, head, path);
  if (isAnswered) return null;
  checkRequest(ports, route, request);
  const query = readQueryText(rawQuery);
  return { head, org, baseUrl, canonicalUrl, path, url: `${path}?${rawQuery}`, query, client };
}

/** Makes the checks that depend on the route. */
function checkRequest(ports: EdgePorts, route: AnyRoute | null, request: FastifyRequest): void {
  const refusal = route === null ? null : refusalOf(ports.backpressure?.() ?? 'none', route);
  if (refusal !== null) throw refusal;
  checkLengths(request, route);
  if (route === null) return;
  checkMediaTypes(route, request);
  checkPath(request);
}

function splitTarget(target: string): [string, string] {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}
