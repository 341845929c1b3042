import type { OrgId } from '../../kernel/words/ids.ts';
import type { SealingState } from '../../platform/operations/sealing-state.ts';
import { dueAt, nextDueAt, type UnsealedOrg } from './due.ts';
import type { TurnReport } from './turn/seal-turn.ts';

/**
 * The state of a walk through all orgs. It is stored between runs, so that whichever process has the job next goes on
 * with it. Its times are RFC 3339.
 */
export interface Walk {
  afterOrgId: string;
  /** Whether the walk looked at every org, and found the first ones about as recently as the last ones. */
  isWhole: boolean;
  unsealed: number;
  dueAt: string | null;
  blockedOrgs: number;
  /** Whether an org had more due events than its turn could seal. */
  hasMore: boolean;
  /** Orgs whose due events were not all sealed, and the time since which that has been so without interruption. */
  lateSince: Record<string, string>;
  /** The notes of the previous walk in `lateSince`. */
  readonly lateBefore: Readonly<Record<string, string>>;
}

/** The row in the database has a limited size. If more orgs are late, the others count as late since the last walk. */
const MOST_LATE_NOTED = 1_000;

export const newWalk = (lateBefore: Readonly<Record<string, string>> = {}): Walk => ({
  afterOrgId: '',
  isWhole: true,
  unsealed: 0,
  dueAt: null,
  blockedOrgs: 0,
  hasMore: false,
  lateSince: {},
  lateBefore,
});

/** Goes on with a walk that rested for so long that its sums would not be those of one moment. */
export const staleWalk = ({ afterOrgId, lateBefore }: Walk): Walk => ({
  ...newWalk(lateBefore),
  afterOrgId,
  isWhole: afterOrgId === '',
});

const earliest = (one: string | null, other: Date): string =>
  one !== null && new Date(one) < other ? one : other.toISOString();

/**
 * Events that fill a segment are due before their day is over, but no event says since when that is so. Therefore, the
 * time at which a walk first found them counts.
 */
function lateSince(walk: Walk, orgId: OrgId, now: Date): Date {
  const since = walk.lateBefore[orgId] ?? now.toISOString();
  if (Object.keys(walk.lateSince).length < MOST_LATE_NOTED) walk.lateSince[orgId] = since;
  return new Date(since);
}

/** Adds what the walk found in an org. `turn` is null if no event of the org is due. */
export function measure(walk: Walk, org: UnsealedOrg, turn: TurnReport | null, now: Date): void {
  const waiting = Math.max(0, org.head - org.sealed - (turn?.events ?? 0));
  walk.unsealed += waiting;
  if (turn !== null && typeof turn.end === 'object' && 'fault' in turn.end) {
    walk.blockedOrgs += 1;
    return;
  }
  if (waiting === 0) return;
  if (turn?.end === 'bounds') walk.hasMore ||= turn.segments > 0;
  // If all due events were sealed, the others are due after today.
  const isServed = turn?.end === 'done';
  walk.dueAt = earliest(walk.dueAt, isServed || org.oldestAt === null ? nextDueAt(now) : dueAt(org.oldestAt));
  if (turn !== null && !isServed) walk.dueAt = earliest(walk.dueAt, lateSince(walk, org.orgId, now));
}

/** Returns what a whole walk has found. */
export const stateOf = ({ blockedOrgs, dueAt: found, unsealed }: Walk, now: Date): SealingState => ({
  unsealed,
  blockedOrgs,
  dueAt: earliest(found, nextDueAt(now)),
});
