import { createHash } from 'node:crypto';
import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { findLockedClient, type LiveClient, lockLiveClient } from '../../management/apps/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { insertUsedAssertion, lockClientAndUse, type UsedAssertion } from './store.ts';

/** An assertion or a proof of possession, which can be used once. */
export interface SingleUse {
  /** Names of different kinds never collide: each starts with its kind. */
  readonly name: string;
  /** After this time it is refused for its age. */
  readonly expiresAt: Date;
}

/** A process whose clock is behind ours accepts it a little longer. */
const MARGIN_MILLISECONDS = 5 * 60_000;

const storedOf = ({ expiresAt, name }: SingleUse): UsedAssertion => ({
  hash: createHash('sha256').update(name).digest(),
  expiresAt: new Date(expiresAt.getTime() + MARGIN_MILLISECONDS),
});

/** Consumes it in the transaction of the request that uses it. False means that it is a replay. */
export const consume = (tx: Tx, orgId: OrgId, clientId: ClientId, use: SingleUse): Promise<boolean> =>
  insertUsedAssertion(tx, orgId, { clientId, ...storedOf(use) });

/**
 * Locks a client, consumes its single uses, and reads the client after its lock, all sent together. `consumed`: false
 * for a replay.
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
    findLockedClient(tx, orgId, clientId),
    ...others.map((use) => consume(tx, orgId, clientId, use)),
  ]);
  return { live, consumed: [isFirstNew, ...areOthersNew] };
}
