import { createHash } from 'node:crypto';
import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { findLiveClient, type LiveClient, lockLiveClient } from '../../management/apps/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { assumeUnusedAssertion, insertUsedAssertion, lockClientAndUse, type UsedAssertion } from './store.ts';

/** A credential or signed request that can be used only once. */
export interface SingleUse {
  /** The names of each kind of credential have their own prefixes, so that ids of different kinds do not collide. */
  readonly name: string;
  /** After this time, the credential is refused for its age. */
  readonly expiresAt: Date;
}

/**
 * The record of a use is kept this long after the expiry, because a process whose clock is behind still accepts the
 * credential.
 */
const MARGIN_MILLISECONDS = 5 * 60_000;

const storedOf = ({ expiresAt, name }: SingleUse): UsedAssertion => ({
  hash: createHash('sha256').update(name).digest(),
  expiresAt: new Date(expiresAt.getTime() + MARGIN_MILLISECONDS),
});

/** Returns false for a replay. */
export const consume = (tx: Tx, orgId: OrgId, clientId: ClientId, use: SingleUse): Promise<boolean> =>
  insertUsedAssertion(tx, orgId, { clientId, ...storedOf(use) });

/** Consumes a credential without awaiting the result. The unit of work fails on a replay (see `assuming`). */
export const assumeUnused = (tx: Tx, orgId: OrgId, clientId: ClientId, use: SingleUse): void =>
  assumeUnusedAssertion(tx, orgId, { clientId, ...storedOf(use) });

/**
 * Locks and reads the client, and consumes the credentials. If `live` is set, a false entry in `consumed` means a
 * replay.
 */
export async function lockClientAndConsume(
  tx: Tx,
  orgId: OrgId,
  clientId: ClientId,
  [first, ...others]: readonly SingleUse[],
): Promise<{ readonly live: LiveClient | undefined; readonly consumed: readonly boolean[] }> {
  if (first === undefined) return { live: await lockLiveClient(tx, orgId, clientId), consumed: [] };
  const [isFirstNew, live, ...areOthersNew] = await Promise.all([
    lockClientAndUse(tx, orgId, clientId, storedOf(first)),
    findLiveClient(tx, orgId, clientId),
    ...others.map((use) => consume(tx, orgId, clientId, use)),
  ]);
  return { live, consumed: [isFirstNew, ...areOthersNew] };
}
