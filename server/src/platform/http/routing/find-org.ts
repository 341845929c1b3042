import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError, notFound } from '../../../kernel/errors/errors.ts';
import { rateLimitHeaders } from '../limits/rate-limit-headers.ts';
import type { EdgeOrg, EdgePorts } from '../ports.ts';
import { isLoopbackName, parseHost } from '../request/host.ts';
import { isFromThisMachine } from './this-machine.ts';

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/**
 * Tells whether another machine used a loopback name. An issuer with that name would send clients to their own machine.
 */
function isLoopbackElsewhere(ports: EdgePorts, request: FastifyRequest, hostname: string): boolean {
  if (!isLoopbackName(hostname)) return false;
  const peer = request.raw.socket.remoteAddress ?? '';
  return !isFromThisMachine({
    peer,
    isPeerProxy: ports.tlsProxies.matches(peer),
    forwardedFor: single(request.headers['x-forwarded-for']),
    forwarded: single(request.headers.forwarded),
  });
}

/** Limits look-ups of unknown hosts, because each look-up could cost a query. */
function limitHosts(ports: EdgePorts, request: FastifyRequest, reply: FastifyReply, hostname: string): void {
  const taken = ports.hostLimit.take(hostname, {
    peer: request.raw.socket.remoteAddress ?? '',
    forwardedFor: single(request.headers['x-forwarded-for']),
    proxies: ports.tlsProxies,
  });
  if (taken === null) return;
  rateLimitHeaders(reply, taken);
  if (!taken.allowed) throw apiError('E0000047');
}

export interface FoundOrg {
  readonly org: EdgeOrg;
  /** The origin with the host that the client used. */
  readonly baseUrl: string;
  readonly canonicalUrl: string;
}

export async function findOrg(
  ports: EdgePorts,
  request: FastifyRequest,
  reply: FastifyReply,
  isKept: boolean,
): Promise<FoundOrg> {
  const host = parseHost(request.headers.host);
  if (host === null) throw apiError('E0000002', { reason: 'the Host header is missing or not valid' });
  limitHosts(ports, request, reply, host.hostname);
  const isElsewhere = isLoopbackElsewhere(ports, request, host.hostname);
  const org = isElsewhere ? null : await ports.resolveOrg(host.hostname, isKept);
  if (org !== null) ports.hostLimit.found(host.hostname);
  const port = ports.publicPort === 443 ? '' : `:${ports.publicPort}`;
  const shown = host.hostname.includes(':') ? `[${host.hostname}]` : host.hostname;
  if (org !== null)
    return { org, baseUrl: `https://${shown}${port}`, canonicalUrl: `https://${org.canonicalHost}${port}` };
  const admin = host.hostname.endsWith(`-admin.${ports.baseDomain}`);
  if (!admin) throw notFound(host.hostname, 'Organization');
  // Specification 9.7: the error for a wrong admin suffix contains the correct address.
  const rest = host.hostname.slice(0, -`-admin.${ports.baseDomain}`.length);
  throw apiError(
    'E0000007',
    { what: `Resource not found: ${host.hostname} (Organization)` },
    {
      causes: [`host: The API has no -admin suffix. Use https://${rest}.${ports.baseDomain}${port}`],
    },
  );
}
