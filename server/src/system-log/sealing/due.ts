import type { OrgId } from '../../kernel/words/ids.ts';
import { MAXIMUM_EVENTS } from '../ledger/segments/head.ts';

/** The part of an org's log that is not sealed. */
export interface UnsealedOrg {
  readonly orgId: OrgId;
  readonly head: number;
  /** The last position that is sealed or has left the ledger. */
  readonly sealed: number;
  /** The time of the oldest unsealed event. It is null if there is none, or if its row is missing. */
  readonly oldestAt: Date | null;
}

const DAY_MILLISECONDS = 86_400_000;
/**
 * A day counts as over this long after its end, because the clocks of relays may differ. If events come later
 * nevertheless, the day gets further segments, about one an hour.
 */
const GRACE_MILLISECONDS = 10 * 60_000;
/** The number of newest events that stay rows until their day is over. Most readers follow the end of the log. */
const NEWEST_KEPT = 2_000;

/** Fewer events than this that come after their day was sealed are not worth a segment at once. */
const FURTHER_EVENTS = 500;

export interface FoundOrg extends UnsealedOrg {
  /** The time of the last sealed event. It is null if there is no segment. */
  readonly sealedAt: Date | null;
}

const isSameDay = (one: Date, other: Date): boolean => dueAt(one).getTime() === dueAt(other).getTime();

/**
 * Tests whether only a few events have come for a day that was sealed before. If the clock of a relay is a day behind,
 * each of its events is one of them, and each walk would make a segment.
 */
export const areFewFurther = ({ head, oldestAt, sealed, sealedAt }: FoundOrg): boolean =>
  oldestAt !== null && sealedAt !== null && isSameDay(oldestAt, sealedAt) && head - sealed < FURTHER_EVENTS;

/** Returns the time at which an event must be sealed at the latest. */
export const dueAt = (persistedAt: Date): Date =>
  new Date((Math.floor(persistedAt.getTime() / DAY_MILLISECONDS) + 1) * DAY_MILLISECONDS + GRACE_MILLISECONDS);

/** The latest time at which an event that does not exist yet may become due, if it is persisted soon. */
export const nextDueAt = (now: Date): Date => dueAt(now);

/**
 * Returns the position up to which events of an org may be sealed now, or null if none are due. Events are due when
 * their day is over, and earlier if they fill a segment. So a quiet org gets one small segment a day.
 */
export function sealableUpTo({ head, oldestAt, sealed }: UnsealedOrg, now: Date): number | null {
  const waiting = head - sealed;
  if (waiting <= 0) return null;
  // A missing row is a fault, which the sealer reports when it reads the row.
  if (oldestAt === null || dueAt(oldestAt) <= now) return head;
  return waiting >= MAXIMUM_EVENTS + NEWEST_KEPT ? head - NEWEST_KEPT : null;
}
