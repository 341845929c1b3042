import type { ClientContext } from './client.ts';
import type { Precondition } from './version.ts';
import type { HeldRole } from './words/held-role.ts';
import type { ClientId, OrgId } from './words/ids.ts';
import type { Namespace } from './words/namespace.ts';

/** The actor of a request. `system` is the service itself (first start, CLI, jobs); `anonymous` has no credential. */
export type Principal =
  | { kind: 'apiToken'; tokenId: string; userId: string }
  /** A browser session. The two public ids are the ones in events; the session is found by the hash. */
  | { kind: 'session'; idHash: Buffer; externalSessionId: string; rootSessionId: string; userId: string }
  /** A service app with an access token of its own; `tokenId` is the token's `jti`, `issuer` its `iss`. */
  | { kind: 'oauthClient'; clientId: ClientId; tokenId: string; issuer: string }
  /** A user, represented by an access token that an app received for them. */
  | { kind: 'oauthUser'; userId: string; clientId: ClientId; tokenId: string; issuer: string }
  | { kind: 'system'; name: string }
  | { kind: 'anonymous' };

/** The user on whose behalf a principal acts; null for service apps and the service itself. */
export const userIdOf = (principal: Principal): string | null => ('userId' in principal ? principal.userId : null);

/**
 * The owner whose rights are checked again while something they started continues: a user or a service app. Null for
 * the service itself and for anonymous requests.
 */
export const ownerIdOf = (principal: Principal): string | null =>
  principal.kind === 'oauthClient' ? principal.clientId : userIdOf(principal);

/** The actor as events name it (specification 2.5). */
export interface Actor {
  id: string;
  type: string;
  alternateId: string;
  displayName: string;
}

/** `specification`: its section 6; `current`: today's published catalogue. `legacyEventType` carries the other. */
export type EventNames = 'specification' | 'current';

/** Everything that a use case may know about its request or job. Immutable. */
export interface Context {
  readonly orgId: OrgId;
  readonly namespace: Namespace;
  /** The instant the request arrived, from the injected clock. */
  readonly now: Date;
  /** Request id = transaction id of every event this causes. */
  readonly requestId: string;
  readonly transactionType: 'WEB' | 'JOB';
  /** Origin that the client used, one of the org's addresses: scheme, host and public port, no trailing slash. */
  readonly baseUrl: string;
  /**
   * Origin of the org's own address, whatever address the request used. Links in mails use it, because their readers
   * may not be the senders of the request.
   */
  readonly canonicalUrl: string;
  /** The names that the org's events use if the specification's differ from today's catalogue. */
  readonly eventNames: EventNames;
  readonly principal: Principal;
  /** Roles that the principal holds now; they decide which administrators it may change. */
  readonly roles: readonly HeldRole[];
  /** Neutral scopes of the caller's token; null for a credential without any. */
  readonly scopes: readonly string[] | null;
  readonly actor: Actor;
  readonly client: ClientContext;
  /** Path without query, and the full address data of the request; null for jobs. */
  readonly requestUri: string | null;
  readonly url: string | null;
  /** Set if the client asked for an idempotent create: hashes of its key and of its request. */
  readonly idempotency: { keyHash: Buffer; requestHash: Buffer } | null;
  /** Set when the client changes only a version it has seen (`If-Match`); `assertVersion` calls it. */
  readonly precondition: Precondition | null;
}
