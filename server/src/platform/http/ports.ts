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

/** The facts about an org that the edge needs for every request; cached for at most a second. */
export interface EdgeOrg {
  readonly orgId: OrgId;
  readonly subdomain: string;
  /** Host of the org's canonical address, which links in mails use. */
  readonly canonicalHost: string;
  /** Senders whose X-Forwarded-For this org trusts. */
  readonly trustedProxies: CidrMatcher;
  readonly corsOrigins: ReadonlySet<string>;
  /** Per bucket and minute; `default` for all others. */
  readonly rateLimits: Readonly<Partial<Record<RateLimitBucket | 'default', number>>>;
  /** Share of a bucket that one token may use, 1 to 100. */
  readonly perTokenPercent: number;
  readonly eventNames: EventNames;
}

/** A valid credential: its principal, and the roles that `decide` evaluates. */
export interface Authenticated {
  readonly principal: Principal;
  readonly actor: Actor;
  readonly roles: readonly HeldRole[];
  /** Neutral scopes of an OAuth token. Null for a credential without scopes. */
  readonly scopes: readonly string[] | null;
}

/** A valid token that was used from a network where it may not be used. */
export interface OutsideNetwork {
  readonly outsideNetwork: { readonly id: string; readonly name: string };
  readonly actor: Actor;
}

/** The credential that a client sent. */
export interface Credential {
  /** The Authorization header, whole. */
  readonly authorization: string;
  readonly dpopProof: string | undefined;
  readonly method: string;
  /** The client's location; null when its address is unknown. */
  readonly clientAddress: string | null;
  /** Address of the request without query (RFC 9449 4.2: htu). */
  readonly uri: string;
}

/** The zones of an address, by the org's own definition. */
export interface ZonesAt {
  /** The blocklist zone that contains it. */
  readonly blockedBy: { readonly id: string; readonly name: string } | null;
  readonly names: () => readonly string[];
}

/** A refusal at the edge that becomes at most one event per org, kind, client and minute. */
export interface EdgeRefusal {
  readonly org: Pick<EdgeOrg, 'orgId'>;
  readonly kind: 'rateLimit' | 'addressLimit' | 'credential' | 'network' | 'permission' | 'blocked';
  /** The API token that was used from outside its network. */
  readonly token?: { readonly id: string; readonly name: string };
  /** The zone that blocked it. */
  readonly zone?: { readonly id: string; readonly name: string };
  readonly bucket?: string;
  readonly client: ClientContext;
  readonly requestUri: string;
  readonly actor?: Actor;
}

/** Describes a refusal for the page that shows it, whether it came before or after the page's handler. */
export interface RefusedPage {
  readonly status: number;
  /** Operators find the refusal in the server's log by this id. */
  readonly errorId: string;
  /** Null when the request was refused before its org was known. */
  readonly orgId: OrgId | null;
  /** Headers of the request; they decide the language of the page. */
  readonly headers: CookieHeaders;
}

/** Everything the edge asks of areas that it must not know (walls: platform knows no area). */
export interface EdgePorts {
  readonly clock: Clock;
  readonly namespace: Namespace;
  readonly log: Logger;
  /**
   * The org of a host name, or null. Host names are in lower case, without a port. The caller has checked that a
   * request for a loopback name comes from this machine. `isKept`: a copy of up to ten minutes of age may be used while
   * the database is unreachable.
   */
  readonly resolveOrg: (hostname: string, isKept: boolean) => Promise<EdgeOrg | null>;
  /** Null: the credential is not valid. Never called on public routes. */
  readonly authenticate: (
    org: EdgeOrg,
    credential: Credential,
    now: Date,
  ) => Promise<Authenticated | OutsideNetwork | null>;
  /** Returns the owner of the session that a cookie names, or null when that session is not valid. */
  readonly authenticateSession: (org: EdgeOrg, sessionId: string, now: Date) => Promise<Authenticated | null>;
  /** The active zones of the org that contain an address. */
  readonly zonesAt: (orgId: OrgId, address: string | null, isKept: boolean) => Promise<ZonesAt>;
  /** Null: the caller is granted nothing on this route. */
  readonly decide: (authenticated: Authenticated, route: Pick<AnyRoute, 'permission' | 'scopes'>) => Grant | null;
  /** Tells whether nothing is granted because a scope is missing. */
  readonly lacksScope: (authenticated: Authenticated, route: Pick<AnyRoute, 'scopes'>) => boolean;
  readonly limiter: RateLimiter;
  /** Called before `resolveOrg`. */
  readonly hostLimit: HostLimit;
  /** Kept in memory only; its counts are never merged. */
  readonly addressLimiter: PrefixLimiter;
  readonly addressLimitPerMinute: number;
  readonly defaultLimitPerMinute: number | null;
  readonly refused: (refusal: EdgeRefusal) => void;
  /**
   * Returns the changes that are refused for now; none by default. Called for every request, so it must answer from
   * memory.
   */
  readonly backpressure?: () => Shedding;
  /** The page of a refusal, for people. */
  readonly errorPage?: (
    refusal: RefusedPage,
  ) => Promise<{ content: string; headers: Readonly<Record<string, string>> }>;
  /** Called for every answer, for the metrics; `operationId` is null when no route matched. */
  readonly answered?: (request: { operationId: string | null; status: number; milliseconds: number }) => void;
  readonly cursors: CursorCodec;
  readonly tags: EntityTags;
  readonly publicPort: number;
  readonly baseDomain: string;
  /** Proxies that end TLS for us: plain HTTP with `X-Forwarded-Proto: https` is accepted only from them. */
  readonly tlsProxies: CidrMatcher;
}
