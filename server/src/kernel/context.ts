import type { ClientContext } from './client.ts';
import type { Precondition } from './version.ts';
import type { HeldRole } from './words/held-role.ts';
import type { ClientId, OrgId } from './words/ids.ts';
import type { Namespace } from './words/namespace.ts';

/**
 * The caller of a request. `system` is the service itself (first start, CLI, jobs). `anonymous` is a caller whom the
 * edge did not authenticate. Public routes, such as the token endpoint, check credentials themselves.
 */
export type Principal =
  | { kind: 'apiToken'; tokenId: string; userId: string }
  /** A browser session, which is looked up by `idHash`. */
  | { kind: 'session'; idHash: Buffer; externalSessionId: string; rootSessionId: string; userId: string }
  /** A service app with an access token of its own. `tokenId` is the token's `jti`, and `issuer` is its `iss`. */
  | { kind: 'oauthClient'; clientId: ClientId; tokenId: string; issuer: string }
  /** A user, represented by an access token that an app received for them. */
  | { kind: 'oauthUser'; userId: string; clientId: ClientId; tokenId: string; issuer: string }
  | { kind: 'system'; name: string }
  | { kind: 'anonymous' };

/** Returns the id of the user for whom a principal acts, or null for service apps, the service and `anonymous`. */
export const userIdOf = (principal: Principal): string | null => ('userId' in principal ? principal.userId : null);

/** Returns the id of the user or service app for whom a principal acts, or null for the service and `anonymous`. */
export const ownerIdOf = (principal: Principal): string | null =>
  principal.kind === 'oauthClient' ? principal.clientId : userIdOf(principal);

/** The actor in the form that events use (specification 2.5). */
export interface Actor {
  id: string;
  type: string;
  alternateId: string;
  displayName: string;
}

/** The org's choice of event names: those of the specification (section 6), or those of the current catalogue. */
export type EventNames = 'specification' | 'current';

/** Everything that a use case may know about its request or job. */
export interface Context {
  readonly orgId: OrgId;
  readonly namespace: Namespace;
  readonly now: Date;
  /** The request id, which is also the transaction id of the request's events. */
  readonly requestId: string;
  readonly transactionType: 'WEB' | 'JOB';
  /** The origin with the host that the client used, without a trailing slash. */
  readonly baseUrl: string;
  /** The origin of the org's canonical address, for links in emails. */
  readonly canonicalUrl: string;
  readonly eventNames: EventNames;
  readonly principal: Principal;
  /** The roles of the principal. A session has none if a page of another origin uses it (ADR 0048). */
  readonly roles: readonly HeldRole[];
  /** The scopes of the access token, without the namespace word. This is null for a caller without an access token. */
  readonly scopes: readonly string[] | null;
  readonly actor: Actor;
  readonly client: ClientContext;
  /** The path without the query; null if there is no request. `url` contains the query too. */
  readonly requestUri: string | null;
  readonly url: string | null;
  /** The hashes of operation, caller and key, and of URL and body. This is null if no idempotency key applies. */
  readonly idempotency: { keyHash: Buffer; requestHash: Buffer } | null;
  /**
   * This is set if the client wants to change only a version it has seen (`If-Match`, or the form of an account page).
   * `assertVersion` checks the version.
   */
  readonly precondition: Precondition | null;
  /**
   * The value of `performance.now()` after which the request begins no change, because the rights of its caller were
   * checked too long ago. Absent for jobs and commands.
   */
  readonly changesUntil?: number;
}
