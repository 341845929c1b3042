import { type ConnectionSettings, serversOf } from '../../platform/postgres/index.ts';
import { type Reason, ReplicaError } from './reasons.ts';
import type { LogEnd, Look, Mark } from './replica-store.ts';

/** Returns why a server must not be read, or null if it follows the primary. It may still be behind. */
function objectionTo(look: Look, mark: Mark, systemIdentifier: string | null): Reason | null {
  if (!look.isStandby) return 'promoted';
  if (systemIdentifier === null) return 'silent';
  if (look.systemIdentifier !== systemIdentifier) return 'cluster';
  if (look.database !== mark.database) return 'database';
  if (!look.mayAsk) return 'rights';
  if (look.timeline !== mark.timeline) return 'timeline';
  return mark.isAsynchronous ? 'asynchronous' : null;
}

/** Returns the look if the server follows the primary. */
export function checkedLook(look: Look, mark: Mark, primary: ConnectionSettings): Look {
  // A connection to the primary was accepted before the mark was read, so its identity is known if it tells.
  const objection = objectionTo(look, mark, serversOf(primary).identity?.systemIdentifier ?? null);
  if (objection !== null) throw new ReplicaError(objection);
  return look;
}

export const lagBytes = ({ replayed }: Look, { flushed }: Mark): number => Math.max(0, flushed - (replayed ?? 0));

export const hasReplayed = ({ replayed }: Look, { flushed }: Mark): boolean => replayed !== null && replayed >= flushed;

/**
 * Tells whether the primary shows everything that the replica showed of a log. `isEarlier` means that the end was read
 * before the look and replayed since. A replica that lacks something of it then has another history.
 */
export function isSeen({ hash, position }: Look, end: LogEnd | undefined, isEarlier: boolean): boolean {
  if (end === undefined || position === null) return position === null && end === undefined;
  if (position > end.position) return false;
  const isSame = position === end.position && hash === end.hash;
  if (isSame || (position < end.position && !isEarlier)) return true;
  throw new ReplicaError('diverged');
}
