import { createHash } from 'node:crypto';
import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { findLiveClient, findLiveClients, type LiveClient, lockLiveClient } from '../../management/apps/index.ts';
import { isShared, needOwnTransaction, noteChange, type Tx, together } from '../../platform/postgres/index.ts';
import {
  assumeUnusedAssertion,
  insertUsedAssertion,
  lockClientAndUse,
  lockFreeClientsAndUse,
  type Use,
  type UsedAssertion,
} from './store.ts';

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

interface Consumed {
  readonly live: LiveClient | undefined;
  readonly consumed: readonly boolean[];
}

/** Does the same as `lockClientAndConsume` for the credentials of several requests. */
async function lockClientsAndConsume(tx: Tx, orgId: OrgId, uses: readonly Use[]) {
  const clientIds = [...new Set(uses.map(({ clientId }) => clientId))];
  const [locked, live] = await Promise.all([
    lockFreeClientsAndUse(tx, orgId, uses),
    findLiveClients(tx, orgId, clientIds),
  ]);
  return { locked, live };
}

/**
 * Consumes a credential together with those of other requests. If another transaction has locked the client, the use
 * case needs a transaction of its own.
 */
async function lockAndConsumeTogether(
  tx: Tx,
  orgId: OrgId,
  clientId: ClientId,
  singleUse: SingleUse,
): Promise<Consumed> {
  const use = { clientId, ...storedOf(singleUse) };
  const { live, locked } = await together(tx, 'clients and credentials', use, (all, uses) =>
    lockClientsAndConsume(all, orgId, uses),
  );
  const client = locked.find((one) => one.clientId === clientId);
  if (client === undefined) needOwnTransaction(tx);
  noteChange(tx);
  return { live: live.get(clientId), consumed: [client?.used.some((hash) => hash.equals(use.hash)) === true] };
}

/**
 * Locks and reads the client, and consumes the credentials. If `live` is set, a false entry in `consumed` means a
 * replay. In a shared transaction, there may be one credential only, and no two use cases may have the same one.
 */
export async function lockClientAndConsume(
  tx: Tx,
  orgId: OrgId,
  clientId: ClientId,
  [first, ...others]: readonly SingleUse[],
): Promise<Consumed> {
  if (first !== undefined && others.length === 0 && isShared(tx))
    return lockAndConsumeTogether(tx, orgId, clientId, first);
  needOwnTransaction(tx);
  if (first === undefined) return { live: await lockLiveClient(tx, orgId, clientId), consumed: [] };
  const [isFirstNew, live, ...areOthersNew] = await Promise.all([
    lockClientAndUse(tx, orgId, clientId, storedOf(first)),
    findLiveClient(tx, orgId, clientId),
    ...others.map((use) => consume(tx, orgId, clientId, use)),
  ]);
  return { live, consumed: [isFirstNew, ...areOthersNew] };
}
