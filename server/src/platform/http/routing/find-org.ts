import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError, notFound } from '../../../kernel/errors/errors.ts';
import { rateLimitHeaders } from '../limits/rate-limit-headers.ts';
import type { EdgeOrg, EdgePorts } from '../ports.ts';
import { isLoopbackName, parseHost } from '../request/host.ts';
import { isFromThisMachine } from './this-machine.ts';

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/**
 * Loopback names mean this machine only to clients on it. An issuer with such a name would lead others to their own
 * machine.
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

/** Limits look-ups of unknown hosts, in memory only, because each of them could cost a query. */
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

/** The org of a request, and the address that the client used. */
export interface FoundOrg {
  readonly org: EdgeOrg;
  /** Origin that the client used. */
  readonly baseUrl: string;
  /** Origin of the org's canonical address. */
  readonly canonicalUrl: string;
}

/** The org of the Host header; 404 for a host that belongs to no org. `isKept`: see `keptWithoutDatabase` of routes. */
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
  // Specification 9.7: a wrong admin suffix is reported together with the correct address.
  const rest = host.hostname.slice(0, -`-admin.${ports.baseDomain}`.length);
  throw apiError(
    'E0000007',
    { what: `Resource not found: ${host.hostname} (Organization)` },
    {
      causes: [`host: The API has no -admin suffix. Use https://${rest}.${ports.baseDomain}${port}`],
    },
  );
}
