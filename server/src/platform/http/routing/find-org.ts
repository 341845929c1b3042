import type { FastifyRequest } from 'fastify';
import { type ApiError, apiError, notFound } from '../../../kernel/errors/errors.ts';
import type { EdgeOrg, EdgePorts } from '../ports.ts';
import { type Host, isLoopbackName } from '../request/host.ts';
import type { AnswerHead } from './answer-head.ts';
import { singleHeader } from './single-header.ts';
import { isFromThisMachine } from './this-machine.ts';

/**
 * Tells whether another machine used a loopback name. An issuer with that name would send clients to their own machine.
 */
function isLoopbackElsewhere(ports: EdgePorts, request: FastifyRequest, hostname: string): boolean {
  if (!isLoopbackName(hostname)) return false;
  const peer = request.raw.socket.remoteAddress ?? '';
  return !isFromThisMachine({
    peer,
    isPeerProxy: ports.tlsProxies.matches(peer),
    forwardedFor: singleHeader(request.headers['x-forwarded-for']),
    forwarded: singleHeader(request.headers.forwarded),
  });
}

/** Limits look-ups of unknown hosts, because each look-up could cost a query. */
function limitHosts(ports: EdgePorts, request: FastifyRequest, head: AnswerHead, hostname: string): void {
  const taken = ports.hostLimit.take(hostname, {
    peer: request.raw.socket.remoteAddress ?? '',
    forwardedFor: singleHeader(request.headers['x-forwarded-for']),
    proxies: ports.tlsProxies,
  });
  if (taken === null) return;
  head.rateLimit = taken;
  if (!taken.allowed) throw apiError('E0000047');
}

export interface FoundOrg {
  readonly org: EdgeOrg;
  /** The origin with the host that the client used. */
  readonly baseUrl: string;
  readonly canonicalUrl: string;
}

/** Looks up the org of a host name. The result is a promise only if the org has to be loaded. */
export function findOrg(
  ports: EdgePorts,
  request: FastifyRequest,
  head: AnswerHead,
  { hostname }: Host,
  isKept: boolean,
): EdgeOrg | null | Promise<EdgeOrg | null> {
  limitHosts(ports, request, head, hostname);
  return isLoopbackElsewhere(ports, request, hostname) ? null : ports.resolveOrg(hostname, isKept);
}

/** Returns the facts about an org that `findOrg` found, or throws if it found none. */
export function foundOrg(ports: EdgePorts, { hostname }: Host, org: EdgeOrg | null): FoundOrg {
  const port = ports.publicPort === 443 ? '' : `:${ports.publicPort}`;
  if (org === null) throw noOrg(ports, hostname, port);
  ports.hostLimit.found(hostname);
  const shown = hostname.includes(':') ? `[${hostname}]` : hostname;
  return { org, baseUrl: `https://${shown}${port}`, canonicalUrl: `https://${org.canonicalHost}${port}` };
}

function noOrg({ baseDomain }: EdgePorts, hostname: string, port: string): ApiError {
  if (!hostname.endsWith(`-admin.${baseDomain}`)) return notFound(hostname, 'Organization');
  // Specification 9.7: the error for a wrong admin suffix contains the correct address.
  const rest = hostname.slice(0, -`-admin.${baseDomain}`.length);
  return apiError(
    'E0000007',
    { what: `Resource not found: ${hostname} (Organization)` },
    {
      causes: [`host: The API has no -admin suffix. Use https://${rest}.${baseDomain}${port}`],
    },
  );
}
