import type { ClientContext } from './client.ts';
import type { OrgId } from './ids.ts';
import type { Namespace } from './namespace.ts';

/** Who acts. `system` is the service itself (first start, CLI, jobs); `anonymous` came without a credential. */
export type Principal =
  | { kind: 'apiToken'; tokenId: string; userId: string }
  | { kind: 'system'; name: string }
  | { kind: 'anonymous' };

/** The actor as events name it (specification 2.5). */
export interface Actor {
  id: string;
  type: string;
  alternateId: string;
  displayName: string;
}

/** Everything a use case may know of the request or job it runs for. Immutable. */
export interface Context {
  readonly orgId: OrgId;
  readonly namespace: Namespace;
  /** The instant the request arrived, from the injected clock. */
  readonly now: Date;
  /** Request id = transaction id of every event this causes. */
  readonly requestId: string;
  readonly transactionType: 'WEB' | 'JOB';
  /** Origin by which the client came, one of the org's addresses: scheme, host and public port, no trailing slash. */
  readonly baseUrl: string;
  readonly principal: Principal;
  /** Roles the principal holds now; what it may do to an administrator depends on them. */
  readonly roles: readonly string[];
  readonly actor: Actor;
  readonly client: ClientContext;
  /** Path without query, and the full address data of the request; null for jobs. */
  readonly requestUri: string | null;
  readonly url: string | null;
  /** Set where the client asked for an idempotent create: hashes of its key and of its request. */
  readonly idempotency: { keyHash: Buffer; requestHash: Buffer } | null;
}
