import { createHash } from 'node:crypto';
import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { findLockedClient, type LiveClient, lockLiveClient } from '../../management/apps/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { insertUsedAssertion, lockClientAndUse, type UsedAssertion } from './store.ts';

/** What is good once: an assertion, or a proof of possession. */
export interface SingleUse {
  /** Names of two kinds never meet: each begins with its kind. */
  readonly name: string;
  /** After that it is refused for its age. */
  readonly expiresAt: Date;
}

/** A process whose clock is behind ours accepts it a little longer. */
const MARGIN_MILLISECONDS = 5 * 60_000;

const storedOf = ({ expiresAt, name }: SingleUse): UsedAssertion => ({
  hash: createHash('sha256').update(name).digest(),
  expiresAt: new Date(expiresAt.getTime() + MARGIN_MILLISECONDS),
});

/** Uses it up, in the transaction of whatever it is used for. False: it was used before. */
export const useOnce = (tx: Tx, orgId: OrgId, clientId: ClientId, use: SingleUse): Promise<boolean> =>
  insertUsedAssertion(tx, orgId, { clientId, ...storedOf(use) });

/**
 * Locks a client, uses up what it brought, and reads the client behind its lock; sent together. `uses`: false for what
 * was used before.
 */
export async function lockClientWithUses(
  tx: Tx,
  orgId: OrgId,
  clientId: ClientId,
  [first, ...others]: readonly SingleUse[],
): Promise<{ readonly live: LiveClient | undefined; readonly uses: readonly boolean[] }> {
  if (first === undefined) return { live: await lockLiveClient(tx, orgId, clientId), uses: [] };
  const [isFirstUnused, live, ...uses] = await Promise.all([
    lockClientAndUse(tx, orgId, clientId, storedOf(first)),
    findLockedClient(tx, orgId, clientId),
    ...others.map((use) => useOnce(tx, orgId, clientId, use)),
  ]);
  return { live, uses: [isFirstUnused, ...uses] };
}
