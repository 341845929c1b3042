import type { Clock } from '../../kernel/clock.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { Authenticated, Credential, CursorCodec, OutsideNetwork } from '../../platform/http/index.ts';
import { createAuthorisationCache, type Db } from '../../platform/postgres/index.ts';
import type { Foundation, Work } from '../../system-log/index.ts';
import { findTokenOwner, storeLastUses, type TokenOwner } from './store.ts';
import { type AuthenticationPorts, authenticateApiToken } from './use/authenticate.ts';
import { createLastUsedWriter, LAST_USED_INTERVAL_MILLISECONDS } from './use/last-used-writer.ts';

export interface ApiTokens extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  /**
   * Returns null if the credential is not valid, and `OutsideNetwork` if it may not be used from the client's address.
   */
  authenticate(
    orgId: OrgId,
    credential: Pick<Credential, 'authorization' | 'clientAddress'>,
    now: Date,
  ): Promise<Authenticated | OutsideNetwork | null>;
  /** Drops the cached owners of the org's tokens. This follows each event whose `voids` contains `credentials`. */
  drop(orgId: OrgId): void;
  flushLastUsed(): Promise<void>;
}

export function createApiTokens(options: {
  db: Db;
  work: Work;
  clock: Clock;
  cursors: CursorCodec;
  zoneIdsAt: AuthenticationPorts['zoneIdsAt'];
}): ApiTokens {
  const { clock, cursors, db, work, zoneIdsAt } = options;
  const owners = createAuthorisationCache<TokenOwner | null>({
    clock,
    load: ({ orgId, id }) => findTokenOwner(db, orgId ?? '', Buffer.from(id, 'hex')),
  });
  const lastUsed = createLastUsedWriter((orgId, uses) =>
    storeLastUses(db, orgId, uses, LAST_USED_INTERVAL_MILLISECONDS),
  );
  return {
    db,
    work,
    cursors,
    authenticate: (orgId, credential, now) =>
      authenticateApiToken({ owners, lastUsed, zoneIdsAt }, orgId, credential, now),
    drop: (orgId) => owners.drop(orgId),
    flushLastUsed: () => lastUsed.flush(),
  };
}
