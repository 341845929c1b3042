import type { Look } from '../crash/call.ts';
import type { Journal, JournaledUser } from '../crash/journal.ts';
import type { LogReader, SeenEvent } from '../crash/log-reader.ts';

/** The changes that were acknowledged at the first site, as the second site has them. */
export interface SiteLoss {
  readonly kept: number;
  readonly lost: number;
  /** The time from the first acknowledgement that was lost to the last one. */
  readonly lostMilliseconds: number;
  readonly faults: readonly string[];
}

const CREATED = 'user.lifecycle.create user.lifecycle.activate';

interface Remains {
  readonly lost: readonly string[];
  readonly kept: readonly string[];
  readonly faults: readonly string[];
}

/**
 * Compares a user with the events of the second site. These must be the first of the user's events. After all of them
 * may come one more, of the change that was under way.
 */
async function remainsOf(user: JournaledUser, seen: readonly SeenEvent[], look: Look): Promise<Remains> {
  const { events, id } = user;
  const difference = seen.findIndex(({ transactionId }, index) => events[index]?.requestId !== transactionId);
  const keptCount = difference < 0 ? seen.length : difference;
  const others = seen.length - keptCount;
  const faults: string[] = [];
  if (others > (keptCount === events.length ? 1 : 0)) faults.push(`${id}: events that do not belong there`);
  if (keptCount === 1) faults.push(`${id}: created by halves`);
  const { body, status } = await look(`/api/v1/users/${id}`);
  const state = events[keptCount - 1]?.state;
  if (state === undefined && status !== 404) faults.push(`${id}: there without an event, ${status}`);
  if (state !== undefined && status !== 200) faults.push(`${id}: not there, but its events are, ${status}`);
  const isSame = body?.profile?.nickName === state?.nickName && body?.status === state?.status;
  if (state !== undefined && others === 0 && !isSame) faults.push(`${id}: its state is not that of its last event`);
  const requestIds = (from: number, to?: number): string[] => [
    ...new Set(events.slice(from, to).flatMap(({ requestId }) => requestId ?? [])),
  ];
  return { kept: requestIds(0, keptCount), lost: requestIds(keptCount), faults };
}

/** A change that is lost must not have been acknowledged before another one began that is kept. */
function orderFaults({ requests }: Journal, kept: readonly string[], firstLostAt: number): readonly string[] {
  return kept
    .filter((id) => (requests.get(id)?.begunAt ?? 0) > firstLostAt)
    .map((id) => `${id}: kept, although one is lost that was acknowledged before it began`);
}

/** Compares the journal of the first site with the second one. `reader` has read the log of the second site. */
export async function findLoss(journal: Journal, reader: LogReader, look: Look): Promise<SiteLoss> {
  const faults = [...reader.faults];
  const [kept, lost]: [string[], string[]] = [[], []];
  for (const user of journal.users.values()) {
    const remains = await remainsOf(user, reader.byUser.get(user.id) ?? [], look);
    kept.push(...remains.kept);
    lost.push(...remains.lost);
    faults.push(...remains.faults);
  }
  for (const [id, seen] of reader.byUser) {
    const isCreated = seen.map(({ eventType }) => eventType).join(' ') === CREATED;
    if (!journal.users.has(id) && !isCreated) faults.push(`${id}: made by nobody`);
  }
  const times = lost.map((id) => journal.requests.get(id)?.acknowledgedAt ?? 0);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  faults.push(...orderFaults(journal, kept, first));
  return { kept: kept.length, lost: lost.length, lostMilliseconds: lost.length === 0 ? 0 : last - first, faults };
}
