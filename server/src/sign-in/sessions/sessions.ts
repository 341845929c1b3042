import { admits } from '../../access/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import { type Authenticated, isSessionId } from '../../platform/http/index.ts';
import { createAuthorisationCache, type Tx } from '../../platform/postgres/index.ts';
import type { Foundation, SharedWork } from '../../system-log/index.ts';
import { findSessionOwner, type SessionOwner } from './store.ts';
import { displayNameOf } from './wire.ts';

export type EndingSessions = { readonly idHash: Buffer } | { readonly userId: string };

/** Tells other areas, in the same transaction, that sessions are ending, before their rows are deleted. */
export type SessionsEnding = (tx: Tx, context: Context, which: EndingSessions) => Promise<void>;

export interface Sessions extends Pick<Foundation, 'db' | 'work'> {
  /** The unit of work that refreshes share. */
  readonly sharedWork: SharedWork;
  readonly ending: SessionsEnding;
  /** Returns the owner of a session, with roles that are at most 1 s old. */
  authenticate(orgId: OrgId, sessionId: string, now: Date): Promise<Authenticated | null>;
  /** Returns the owner of a session, read at most 1 s ago, even if the session has expired. */
  ownerOf(orgId: OrgId, idHash: Buffer): Promise<SessionOwner | null>;
  /** Drops the cached owners of the org's sessions. */
  drop(orgId: OrgId): void;
}

function authenticated(owner: SessionOwner, idHash: Buffer): Authenticated {
  const { externalId, login, rootExternalId, roles, userId } = owner;
  return {
    principal: {
      kind: 'session',
      idHash,
      externalSessionId: externalId,
      rootSessionId: rootExternalId,
      userId,
    },
    actor: { id: userId, type: 'User', alternateId: login, displayName: displayNameOf(owner) },
    roles,
    scopes: null,
  };
}

export interface SessionsOptions extends Pick<Sessions, 'db' | 'work' | 'sharedWork' | 'ending'> {
  readonly clock: Clock;
}

export function createSessions({ clock, db, ending, sharedWork, work }: SessionsOptions): Sessions {
  const owners = createAuthorisationCache<SessionOwner | null>({
    clock,
    load: ({ orgId, id }) => findSessionOwner(db, orgId ?? '', Buffer.from(id, 'hex')),
  });
  const ownerOf = async (orgId: OrgId, idHash: Buffer) =>
    owners.get({ orgId, kind: 'session', id: idHash.toString('hex') });
  return {
    db,
    work,
    sharedWork,
    ending,
    ownerOf,
    authenticate: async (orgId, sessionId, now) => {
      if (!isSessionId(sessionId)) return null;
      const idHash = hashSecret(sessionId);
      const owner = await ownerOf(orgId, idHash);
      if (owner === null || owner.expiresAt <= now) return null;
      if (admits('useSession', { user: { status: owner.userStatus } }) !== null) return null;
      return authenticated(owner, idHash);
    },
    drop: (orgId) => owners.drop(orgId),
  };
}
