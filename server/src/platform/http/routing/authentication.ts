import type { FastifyRequest } from 'fastify';
import { type ApiError, apiError, notFound } from '../../../kernel/errors/errors.ts';
import { isForgedWrite, mayUseRoles, readSessionCookie } from '../cookies/session-cookie.ts';
import type { Authenticated, EdgePorts, OutsideNetwork } from '../ports.ts';
import { checkContentType } from '../request/media-types.ts';
import type { AnyRoute } from '../route.ts';
import type { Admitted } from './intake.ts';
import { singleHeader } from './single-header.ts';

type Challenge = Readonly<Record<string, string>>;

const OFFER: Challenge = { 'www-authenticate': 'SSWS realm="api", Bearer realm="api"' };

/** Returns the challenge for the scheme that the client sent (RFC 6750 3, RFC 9449 7.1): Bearer, DPoP, or else SSWS. */
function challengeTo(authorization: string): Challenge {
  const scheme = /^(bearer|dpop)\b/i.exec(authorization)?.[1]?.toLowerCase();
  if (scheme === undefined) return { 'www-authenticate': 'SSWS realm="api"' };
  const word = scheme === 'dpop' ? 'DPoP' : 'Bearer';
  const facts = 'error="invalid_token", error_description="The access token is invalid."';
  return { 'www-authenticate': `${word} realm="api", ${facts}` };
}

function refuse(ports: EdgePorts, admitted: Admitted, error: ApiError, outside?: OutsideNetwork): never {
  ports.refused({
    org: admitted.org,
    ...(outside === undefined
      ? { kind: 'credential' as const }
      : { kind: 'network' as const, token: outside.outsideNetwork, actor: outside.actor }),
    client: admitted.client,
    requestUri: admitted.path,
  });
  throw error;
}

async function byHeader(
  ports: EdgePorts,
  request: FastifyRequest,
  admitted: Admitted,
  authorization: string,
): Promise<Authenticated> {
  const credential = {
    authorization,
    dpopProof: singleHeader(request.headers['dpop']),
    method: request.method,
    clientAddress: admitted.client.ipAddress,
    uri: admitted.baseUrl + admitted.path,
  };
  const authenticated = await ports.authenticate(admitted.org, credential, ports.clock.now());
  // An error captures a stack, which is costly, so it is made only for a refusal.
  const refused = () => apiError('E0000011', { headers: challengeTo(authorization) });
  if (authenticated === null) return refuse(ports, admitted, refused());
  if ('outsideNetwork' in authenticated) return refuse(ports, admitted, refused(), authenticated);
  return authenticated;
}

const isJson = (request: FastifyRequest): boolean =>
  checkContentType(request.headers['content-type'], 'application/json') === null;

/**
 * Authenticates the session that the cookie names. `absent` means that no usable cookie was sent. Null means that the
 * session is not valid. A call from a page of another origin gets the session without the user's roles (ADR 0048).
 */
async function bySession(
  ports: EdgePorts,
  route: AnyRoute,
  request: FastifyRequest,
  admitted: Admitted,
): Promise<Authenticated | 'absent' | null> {
  const cookie = readSessionCookie(request.headers);
  if (cookie === null) return 'absent';
  const isForged = isForgedWrite({
    method: request.method,
    headers: request.headers,
    source: cookie.source,
    baseUrl: admitted.baseUrl,
    trustedOrigins: admitted.org.corsOrigins,
    routeCors: route.cors,
    isJson: isJson(request),
    headerPrefix: ports.namespace.headerPrefix,
  });
  if (isForged) throw apiError('E0000005');
  const session = await ports.authenticateSession(admitted.org, cookie.value, ports.clock.now());
  return session === null || mayUseRoles(request.headers, admitted.baseUrl) ? session : { ...session, roles: [] };
}

/**
 * Authenticates the caller as the route declares. Returns null, and no promise, if the route is public or an optional
 * credential is absent.
 */
export function authenticate(
  ports: EdgePorts,
  route: AnyRoute,
  request: FastifyRequest,
  admitted: Admitted,
): Authenticated | null | Promise<Authenticated> {
  const { access } = route;
  if (access === 'public') return null;
  if (access === 'session') return byOwnSession(ports, route, request, admitted);
  const { authorization } = request.headers;
  if (authorization !== undefined) return byHeader(ports, request, admitted, authorization);
  return access === 'optional' ? null : byCookie(ports, route, request, admitted);
}

async function byOwnSession(
  ports: EdgePorts,
  route: AnyRoute,
  request: FastifyRequest,
  admitted: Admitted,
): Promise<Authenticated> {
  const session = await bySession(ports, route, request, admitted);
  if (session === null || session === 'absent') throw notFound('me', 'Session');
  return session;
}

async function byCookie(
  ports: EdgePorts,
  route: AnyRoute,
  request: FastifyRequest,
  admitted: Admitted,
): Promise<Authenticated> {
  const session = await bySession(ports, route, request, admitted);
  if (session === 'absent') throw apiError('E0000004', { headers: OFFER });
  return session ?? refuse(ports, admitted, apiError('E0000005'));
}
