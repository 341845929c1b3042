import type { Logger } from 'pino';
import type { ClientContext } from '../../kernel/client.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Actor, EventNames, Principal } from '../../kernel/context.ts';
import type { HeldRole } from '../../kernel/words/held-role.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { Namespace } from '../../kernel/words/namespace.ts';
import type { CookieHeaders } from './cookies/cookie-values.ts';
import type { HostLimit } from './limits/host-limit.ts';
import type { PrefixLimiter, RateLimiter } from './limits/rate-limit.ts';
import type { RateLimitBucket } from './limits/rate-limit-buckets.ts';
import type { Shedding } from './limits/shedding.ts';
import type { CursorCodec } from './lists/cursors.ts';
import type { CidrMatcher } from './request/client-address.ts';
import type { AnyRoute, Grant } from './route.ts';
import type { EntityTags } from './tags/entity-tags.ts';

/** The facts about an org that the edge needs for every request. They may come from a cache. */
export interface EdgeOrg {
  readonly orgId: OrgId;
  readonly subdomain: string;
  readonly canonicalHost: string;
  /** The senders whose X-Forwarded-For this org trusts. */
  readonly trustedProxies: CidrMatcher;
  readonly corsOrigins: ReadonlySet<string>;
  /** The org's own limits per bucket and minute. `default` replaces the usual limits of the other buckets. */
  readonly rateLimits: Readonly<Partial<Record<RateLimitBucket | 'default', number>>>;
  /** The share of a bucket that one API token or client may use: 1 to 100 percent. */
  readonly perTokenPercent: number;
  readonly eventNames: EventNames;
}

export interface Authenticated {
  readonly principal: Principal;
  readonly actor: Actor;
  readonly roles: readonly HeldRole[];
  /** The scopes of an OAuth token, without the namespace word. Null means a credential without scopes. */
  readonly scopes: readonly string[] | null;
}

/** A valid token that was used from a network where it is not allowed. */
export interface OutsideNetwork {
  readonly outsideNetwork: { readonly id: string; readonly name: string };
  readonly actor: Actor;
}

export interface Credential {
  /** The whole Authorization header. */
  readonly authorization: string;
  readonly dpopProof: string | undefined;
  readonly method: string;
  readonly clientAddress: string | null;
  /** The address of the request without the query (RFC 9449 4.2: htu). */
  readonly uri: string;
}

export interface ZonesAt {
  readonly blockedBy: { readonly id: string; readonly name: string } | null;
  readonly names: () => readonly string[];
}

export interface EdgeRefusal {
  readonly org: Pick<EdgeOrg, 'orgId'>;
  readonly kind: 'rateLimit' | 'addressLimit' | 'credential' | 'network' | 'permission' | 'blocked';
  /** The API token that was used from outside its network. */
  readonly token?: { readonly id: string; readonly name: string };
  readonly zone?: { readonly id: string; readonly name: string };
  readonly bucket?: string;
  readonly client: ClientContext;
  readonly requestUri: string;
  readonly actor?: Actor;
}

/** A refusal by the edge or by a handler, for the page that shows it. */
export interface RefusedPage {
  readonly status: number;
  /** The id by which operators find the refusal in the server's log. */
  readonly errorId: string;
  /** Null means that `admit` (intake.ts) did not admit the request. */
  readonly orgId: OrgId | null;
  readonly headers: CookieHeaders;
}

/** The ports through which the edge uses areas that it must not import. */
export interface EdgePorts {
  readonly clock: Clock;
  readonly namespace: Namespace;
  readonly log: Logger;
  /**
   * Returns the org of a host name (in lower case, without a port), or null. With `isKept`, an older copy may be used
   * while the database is unreachable.
   */
  readonly resolveOrg: (hostname: string, isKept: boolean) => EdgeOrg | null | Promise<EdgeOrg | null>;
  /**
   * Returns null if the credential is not valid, and `OutsideNetwork` if it may not be used from the caller's address.
   */
  readonly authenticate: (
    org: EdgeOrg,
    credential: Credential,
    now: Date,
  ) => Promise<Authenticated | OutsideNetwork | null>;
  readonly authenticateSession: (org: EdgeOrg, sessionId: string, now: Date) => Promise<Authenticated | null>;
  /** Returns the active zones of the org that contain an address. `isKept` means the same as in `resolveOrg`. */
  readonly zonesAt: (orgId: OrgId, address: string | null, isKept: boolean) => ZonesAt | Promise<ZonesAt>;
  /** Returns the grant that the caller's scopes and roles give for this route. */
  readonly decide: (authenticated: Authenticated, route: Pick<AnyRoute, 'permission' | 'scopes'>) => Grant | null;
  /** Tells whether the caller's token lacks a scope that the route requires. */
  readonly lacksScope: (authenticated: Authenticated, route: Pick<AnyRoute, 'scopes'>) => boolean;
  readonly limiter: RateLimiter;
  readonly hostLimit: HostLimit;
  readonly addressLimiter: PrefixLimiter;
  readonly addressLimitPerMinute: number;
  readonly defaultLimitPerMinute: number | null;
  readonly refused: (refusal: EdgeRefusal) => void;
  /**
   * Returns which changes are refused at present; without this function, none are. The edge calls it for most requests,
   * so it must answer from memory.
   */
  readonly backpressure?: () => Shedding;
  readonly errorPage?: (
    refusal: RefusedPage,
  ) => Promise<{ content: string; headers: Readonly<Record<string, string>> }>;
  /** Updates the metrics after a response. `operationId` is null if no route matched. */
  readonly answered?: (request: { operationId: string | null; status: number; milliseconds: number }) => void;
  readonly cursors: CursorCodec;
  readonly tags: EntityTags;
  readonly publicPort: number;
  readonly baseDomain: string;
  /** The proxies that terminate TLS for us. Only they may send plain HTTP, and only with `X-Forwarded-Proto: https`. */
  readonly tlsProxies: CidrMatcher;
}
