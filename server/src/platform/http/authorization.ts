import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor, Context, Principal } from '../../kernel/context.ts';
import { apiError } from '../../kernel/errors.ts';
import type { Admitted } from './admission.ts';
import type { Authenticated, EdgeOrg, EdgePorts } from './ports.ts';
import { tokenShare } from './rate-limit.ts';
import { RATE_LIMIT_BUCKETS, type RateLimitBucket } from './rate-limit-buckets.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import type { AnyRoute, Grant } from './route.ts';

export interface Authorized {
  readonly authenticated: Authenticated | null;
  readonly grant: Grant;
}

const ALL: Grant = { kind: 'all' };

const challenge = (): Readonly<Record<string, string>> => ({ 'www-authenticate': 'SSWS realm="api"' });

async function authenticate(ports: EdgePorts, request: FastifyRequest, admitted: Admitted): Promise<Authenticated> {
  const authorization = request.headers.authorization;
  if (authorization === undefined) throw apiError('E0000004', { headers: challenge() });
  const authenticated = await ports.authenticate(admitted.org, authorization, ports.clock.now());
  if (authenticated !== null) return authenticated;
  ports.refused({
    org: admitted.org,
    kind: 'credential',
    clientAddress: admitted.client.ipAddress,
    requestUri: admitted.path,
  });
  throw apiError('E0000011', { headers: challenge() });
}

function limitOf(ports: EdgePorts, org: EdgeOrg, bucket: RateLimitBucket): number | null {
  const own = org.rateLimits[bucket] ?? org.rateLimits.default;
  if (own !== undefined) return own;
  const standard: number | null = RATE_LIMIT_BUCKETS[bucket].limit;
  if (standard === null) return null;
  return ports.defaultLimitPerMinute ?? standard;
}

const tokenOf = (principal: Principal): string | null => (principal.kind === 'apiToken' ? principal.tokenId : null);

/** The bucket of the org, then the share of it that one token may use. */
function limitRate(
  ports: EdgePorts,
  route: AnyRoute,
  admitted: Admitted,
  reply: FastifyReply,
  authenticated: Authenticated | null,
): void {
  const limit = limitOf(ports, admitted.org, route.bucket);
  if (limit === null) return;
  const { orgId, perTokenPercent } = admitted.org;
  const tokenId = authenticated === null ? null : tokenOf(authenticated.principal);
  const hasShare = tokenId !== null && perTokenPercent < 100;
  // The share first: what a token is refused must not use up its org's bucket.
  const own = hasShare ? ports.limiter.take(orgId, route.bucket, tokenId, tokenShare(limit, perTokenPercent)) : null;
  const taken = own?.allowed === false ? own : ports.limiter.take(orgId, route.bucket, '', limit);
  rateLimitHeaders(reply, own !== null && own.remaining < taken.remaining ? own : taken);
  if (taken.allowed) return;
  ports.refused({
    org: admitted.org,
    kind: 'rateLimit',
    bucket: RATE_LIMIT_BUCKETS[route.bucket].path,
    clientAddress: admitted.client.ipAddress,
    requestUri: admitted.path,
    ...(authenticated === null ? {} : { actor: authenticated.actor }),
  });
  throw apiError('E0000047');
}

function decide(ports: EdgePorts, route: AnyRoute, admitted: Admitted, authenticated: Authenticated): Grant {
  if (route.permission === undefined) return ALL;
  const grant = ports.decide(authenticated, route.permission);
  if (grant !== null) return grant;
  ports.refused({
    org: admitted.org,
    kind: 'permission',
    clientAddress: admitted.client.ipAddress,
    requestUri: admitted.path,
    actor: authenticated.actor,
  });
  throw apiError('E0000006');
}

/** Second half of the way in: authentication, rate limit, scope and role. Public routes are only counted. */
export async function authorize(
  ports: EdgePorts,
  route: AnyRoute,
  admitted: Admitted,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Authorized> {
  if (route.access === 'public') {
    limitRate(ports, route, admitted, reply, null);
    return { authenticated: null, grant: ALL };
  }
  const authenticated = await authenticate(ports, request, admitted);
  limitRate(ports, route, admitted, reply, authenticated);
  return { authenticated, grant: decide(ports, route, admitted, authenticated) };
}

const ANONYMOUS: Actor = { id: 'unknown', type: 'User', alternateId: 'unknown', displayName: 'unknown' };

/** The context of a use case: what the request, its credential and its org say. */
export function contextOf(
  ports: EdgePorts,
  admitted: Admitted,
  authorized: Authorized,
  idempotency: Context['idempotency'],
): Context {
  return {
    orgId: admitted.org.orgId,
    namespace: ports.namespace,
    now: ports.clock.now(),
    requestId: admitted.requestId,
    transactionType: 'WEB',
    baseUrl: admitted.baseUrl,
    principal: authorized.authenticated?.principal ?? { kind: 'anonymous' },
    roles: authorized.authenticated?.roles ?? [],
    actor: authorized.authenticated?.actor ?? ANONYMOUS,
    client: admitted.client,
    requestUri: admitted.path,
    url: admitted.url,
    idempotency,
  };
}
