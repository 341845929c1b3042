import { boundedCache } from '../../caches/index.ts';
import { addressPrefix, type CidrMatcher, resolveClientAddress } from '../request/client-address.ts';
import { createPrefixLimiter, type RateLimiterOptions, type RateLimitTaken } from './rate-limit.ts';

/** The maximum number of hosts that are remembered as belonging to an org. */
const MAXIMUM_HOSTS = 20_000;

export interface HostCaller {
  readonly peer: string;
  readonly forwardedFor: string | undefined;
  /** The trusted proxies of the installation. */
  readonly proxies: CidrMatcher;
}

/** A limit on the look-ups of unknown hosts per caller. It protects the database from made-up host names. */
export interface HostLimit {
  /** Counts the look-up of a host before it happens. Returns null if the look-up is not counted. */
  take(hostname: string, caller: HostCaller): RateLimitTaken | null;
  /** Reports that the host belongs to an org, so that further requests for it are not counted. */
  found(hostname: string): void;
}

/** Returns null if a trusted proxy does not say who the caller is. */
function prefixOf({ forwardedFor, peer, proxies }: HostCaller): string | null {
  const { ipAddress } = resolveClientAddress({ socketAddress: peer, forwardedFor, trustedProxies: proxies });
  return ipAddress !== null && proxies.matches(ipAddress) ? null : addressPrefix(ipAddress ?? '');
}

/** `limit` is per address prefix and minute. */
export function createHostLimit({ limit, ...options }: RateLimiterOptions & { readonly limit: number }): HostLimit {
  const limiter = createPrefixLimiter(options);
  const hosts = boundedCache<string, true>(MAXIMUM_HOSTS);
  return {
    take: (hostname, caller) => {
      if (hosts.get(hostname) === true) return null;
      const prefix = prefixOf(caller);
      return prefix === null ? null : limiter.take('', 'host', prefix, limit);
    },
    found: (hostname) => {
      if (!hosts.has(hostname)) hosts.set(hostname, true);
    },
  };
}
