import type { Presence } from '../../access/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type OrgId, toOrgId } from '../../kernel/words/ids.ts';
import { findPresence } from '../../management/apps/index.ts';
import { createAuthorisationCache, type Db } from '../../platform/postgres/index.ts';
import type { AccessTokenClaims } from '../access-tokens/index.ts';

/** A cache that knows whether clients may use tokens about absent users. The data is at most a second old. */
export interface Presences {
  /**
   * Returns `PRESENT` for a token that was issued while its user was present, or that has no user. For any other token,
   * returns the presence that `findPresence` finds for its client and user.
   */
  get(orgId: OrgId, claims: Pick<AccessTokenClaims, 'clientId' | 'user'>): Promise<Presence>;
  drop(orgId: OrgId): void;
}

export function createPresences({ clock, db }: { readonly clock: Clock; readonly db: Db }): Presences {
  const presences = createAuthorisationCache<Presence>({
    clock,
    load: ({ id, orgId }) => {
      // Ids contain no spaces.
      const [userId = '', clientId = ''] = id.split(' ');
      return findPresence(db, toOrgId(orgId ?? ''), clientId, userId);
    },
  });
  return {
    get: async (orgId, { clientId, user }) =>
      user === null || user.authTime !== null
        ? 'PRESENT'
        : presences.get({ orgId, kind: 'presence', id: `${user.id} ${clientId}` }),
    drop: (orgId) => presences.drop(orgId),
  };
}
