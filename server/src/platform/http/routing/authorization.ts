import type { Actor, Context, Principal } from '../../../kernel/context.ts';
import { type ApiError, apiError } from '../../../kernel/errors/errors.ts';
import { tokenShare } from '../limits/rate-limit.ts';
import { RATE_LIMIT_BUCKETS, type RateLimitBucket } from '../limits/rate-limit-buckets.ts';
import type { Authenticated, EdgeOrg, EdgePorts } from '../ports.ts';
import type { AnyRoute, Grant } from '../route.ts';
import type { Admitted } from './intake.ts';

const ALL: Grant = { kind: 'all' };

function limitOf(ports: EdgePorts, org: EdgeOrg, bucket: RateLimitBucket): number | null {
  const standard: number | null = RATE_LIMIT_BUCKETS[bucket].limit;
  // No default applies to `unlimited`, because every client needs keys and well-known documents (contract section 8).
  const usual = standard === null ? null : (org.rateLimits.default ?? ports.defaultLimitPerMinute ?? standard);
  return org.rateLimits[bucket] ?? usual;
}

/** Returns the id of the API token or client, which has a share of each bucket; null for any other principal. */
function tokenOf(principal: Principal): string | null {
  if (principal.kind === 'apiToken') return principal.tokenId;
  return 'clientId' in principal ? principal.clientId : null;
}

/** Counts the request in the org's bucket and, if the token has a share of its own, in that share. */
function limitRate(ports: EdgePorts, route: AnyRoute, admitted: Admitted, authenticated: Authenticated | null): void {
  const limit = limitOf(ports, admitted.org, route.bucket);
  if (limit === null) return;
  const { orgId, perTokenPercent } = admitted.org;
  const tokenId = authenticated === null ? null : tokenOf(authenticated.principal);
  const hasShare = tokenId !== null && perTokenPercent < 100;
  // The token's share is checked first, so that its refused requests do not exhaust the org's bucket.
  const own = hasShare ? ports.limiter.take(orgId, route.bucket, tokenId, tokenShare(limit, perTokenPercent)) : null;
  const taken = own?.allowed === false ? own : ports.limiter.take(orgId, route.bucket, '', limit);
  admitted.head.rateLimit = own !== null && own.remaining < taken.remaining ? own : taken;
  if (taken.allowed) return;
  ports.refused({
    org: admitted.org,
    kind: 'rateLimit',
    bucket: RATE_LIMIT_BUCKETS[route.bucket].path,
    client: admitted.client,
    requestUri: admitted.path,
    ...(authenticated === null ? {} : { actor: authenticated.actor }),
  });
  throw apiError('E0000047');
}

/** Makes the error that names the required scopes (RFC 6750 3.1). */
function insufficientScope({ namespace }: EdgePorts, route: AnyRoute): ApiError {
  const scope = route.scopes.map((name) => `${namespace.word}.${name}`).join(' ');
  const challenge = `Bearer realm="api", error="insufficient_scope", scope="${scope}"`;
  return apiError('E0000006', { headers: { 'www-authenticate': challenge } });
}

function decide(ports: EdgePorts, route: AnyRoute, admitted: Admitted, authenticated: Authenticated): Grant {
  const grant = ports.decide(authenticated, route);
  if (grant !== null && (grant.kind === 'all' || route.appliesGrant === true)) return grant;
  ports.refused({
    org: admitted.org,
    kind: 'permission',
    client: admitted.client,
    requestUri: admitted.path,
    actor: authenticated.actor,
  });
  throw ports.lacksScope(authenticated, route) ? insufficientScope(ports, route) : apiError('E0000006');
}

/** Makes the checks that follow authentication. Returns the rows that the caller may read or change. */
export function authorize(
  ports: EdgePorts,
  route: AnyRoute,
  admitted: Admitted,
  authenticated: Authenticated | null,
): Grant {
  limitRate(ports, route, admitted, authenticated);
  // If no credential is required, or if the route concerns only the caller, the handler checks permissions itself.
  if (authenticated === null || route.access !== 'authenticated') return ALL;
  return decide(ports, route, admitted, authenticated);
}

// All anonymous requests share these objects, so nothing may change them.
const NOBODY: Principal = Object.freeze({ kind: 'anonymous' });
const NO_ROLES: Context['roles'] = Object.freeze([]);
const ANONYMOUS: Actor = Object.freeze({
  id: 'unknown',
  type: 'User',
  alternateId: 'unknown',
  displayName: 'unknown',
});

export function contextOf(
  ports: EdgePorts,
  admitted: Admitted,
  authenticated: Authenticated | null,
  conditions: Required<Pick<Context, 'idempotency' | 'precondition' | 'changesUntil'>>,
): Context {
  return {
    orgId: admitted.org.orgId,
    namespace: ports.namespace,
    now: ports.clock.now(),
    requestId: admitted.head.requestId,
    transactionType: 'WEB',
    baseUrl: admitted.baseUrl,
    canonicalUrl: admitted.canonicalUrl,
    eventNames: admitted.org.eventNames,
    principal: authenticated?.principal ?? NOBODY,
    roles: authenticated?.roles ?? NO_ROLES,
    scopes: authenticated?.scopes ?? null,
    actor: authenticated?.actor ?? ANONYMOUS,
    client: admitted.client,
    requestUri: admitted.path,
    url: admitted.url,
    idempotency: conditions.idempotency,
    precondition: conditions.precondition,
    changesUntil: conditions.changesUntil,
  };
}
