import type { Clock } from '../../kernel/clock.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { SealingState } from '../../platform/operations/sealing-state.ts';
import { failureCode, isUnavailable } from '../../platform/postgres/index.ts';
import { MAXIMUM_EVENTS } from '../ledger/segments/head.ts';
import type { Connections } from '../relay/connections.ts';
import { findUnsealed, noteSealingState, type OrgPage } from './cross-org-store.ts';
import { dueAt, nextDueAt, sealableUpTo, type UnsealedOrg } from './due.ts';
import { createPacking, type Packing } from './packing/packing.ts';
import type { RowFault } from './packing/unsealed-row.ts';
import { sealTurn, type TurnReport } from './seal-turn.ts';

export interface SealerPorts {
  readonly connections: Connections;
  readonly clock: Clock;
  /** Tells whether no process of a build that cannot read segments runs (ADR 0070). */
  readonly maySeal: () => boolean;
  /** While this returns true, the sealer leaves the database to the relay. */
  readonly isRelayBehind?: () => boolean;
  /** The module of the thread that packs. Without it, this thread packs. */
  readonly packThreadFile: string | null;
  /** This is called after a run that sealed something. */
  readonly onSealed?: (sealed: Sealed) => void;
  /** This is called when a fault of an event is found, and not again while it stays. */
  readonly onFault?: (orgId: OrgId, fault: RowFault) => void;
  readonly onError?: (error: unknown, orgId: OrgId) => void;
}

export interface Sealed {
  readonly events: number;
  readonly segments: number;
}

export interface SealingReport extends Sealed {
  /** Whether events may be left that were due. */
  readonly unfinished: boolean;
}

const ORGS_PER_PAGE = 200;
const LONGEST_RUN_MILLISECONDS = 30_000;
/** Segments of an org whose last one took too long are halved down to this number of events. */
const SMALLEST_SEGMENT = 256;
/** A roll-back is reported when it is the org's last of this many in a row, and again after as many more. */
const ROLLBACKS_REPORTED = 3;
/** A walk is not whole if another process has had the job for longer than this in between. */
const LONGEST_PAUSE_MILLISECONDS = 60_000;

const QUERY_CANCELED = '57014';
/** The codes of a statement that took too long, and of a packing thread that needed too much memory. */
const TOO_LARGE: ReadonlySet<string> = new Set([QUERY_CANCELED, 'ERR_WORKER_OUT_OF_MEMORY']);
/** Errors that say something about a statement or a row, although `isUnavailable` counts them as outages. */
const OF_ONE_ORG: ReadonlySet<string> = new Set([QUERY_CANCELED, '55P03', '40P01', '40001']);

const isOutage = (error: unknown): boolean => isUnavailable(error) && !OF_ONE_ORG.has(failureCode(error) ?? '');

/** The state of a walk through all orgs. */
interface Walk {
  afterOrgId: string;
  /** Whether the walk found the first orgs about as recently as the last ones. */
  isWhole: boolean;
  unsealed: number;
  dueAt: Date | null;
  blockedOrgs: number;
  /** Whether an org had more due events than its turn could seal. */
  hasMore: boolean;
}

const newWalk = (): Walk => ({
  afterOrgId: '',
  isWhole: true,
  unsealed: 0,
  dueAt: null,
  blockedOrgs: 0,
  hasMore: false,
});

const earliest = (one: Date | null, other: Date): Date => (one !== null && one < other ? one : other);

/**
 * Seals the events of all orgs. The orgs are served in turn, and a failure of one org does not keep the others from
 * their turns. The next run goes on where the last one ended.
 */
export class Sealer {
  readonly #ports: SealerPorts;
  #walk = newWalk();
  #ranAt = Number.NEGATIVE_INFINITY;
  /** The largest segments of orgs whose last one took too long. */
  readonly #limits = new Map<OrgId, number>();
  readonly #rollbacks = new Map<OrgId, number>();
  /** The positions of known faults. */
  readonly #faults = new Map<OrgId, number>();

  constructor(ports: SealerPorts) {
    this.#ports = ports;
  }

  async run(signal: AbortSignal): Promise<SealingReport> {
    const total = { events: 0, segments: 0 };
    if (!this.#ports.maySeal()) return { ...total, unfinished: false };
    const packing = createPacking(this.#ports.packThreadFile);
    const startedAt = performance.now();
    const endsAt = startedAt + LONGEST_RUN_MILLISECONDS;
    if (startedAt - this.#ranAt > LONGEST_PAUSE_MILLISECONDS && this.#walk.afterOrgId !== '') {
      this.#walk = { ...newWalk(), afterOrgId: this.#walk.afterOrgId, isWhole: false };
    }
    const mayGoOn = (): boolean =>
      !signal.aborted && performance.now() < endsAt && this.#ports.isRelayBehind?.() !== true;
    const add = ({ events, segments }: TurnReport): void => {
      total.events += events;
      total.segments += segments;
    };
    try {
      while (mayGoOn()) {
        const isWalked = await this.#servePage(packing, { add, mayGoOn, signal });
        if (isWalked && !(await this.#endWalk())) return { ...total, unfinished: false };
      }
      return { ...total, unfinished: true };
    } finally {
      this.#ranAt = performance.now();
      await packing.close();
      if (total.segments > 0) this.#ports.onSealed?.(total);
    }
  }

  /** Serves the next page of orgs. Returns true if it was the last one. */
  async #servePage(packing: Packing, { add, mayGoOn, signal }: Serving): Promise<boolean> {
    const walk = this.#walk;
    const { connections } = this.#ports;
    const page = await connections.withConnection((connection) =>
      findUnsealed(connection, walk.afterOrgId, ORGS_PER_PAGE),
    );
    const now = this.#timeOf(page);
    for (const org of page.orgs) {
      if (!mayGoOn()) return false;
      // An org that ends the run with an outage is not the first one of the next run.
      walk.afterOrgId = org.orgId;
      const turn = await this.#serve({ add, packing, now, signal }, org);
      this.#measure(org, turn, now);
    }
    if (page.lastOrgId === null) return true;
    walk.afterOrgId = page.lastOrgId;
    return false;
  }

  /** A clock that is ahead would cut small segments, so the earlier one of two clocks counts. */
  #timeOf({ now }: OrgPage): Date {
    const own = this.#ports.clock.now();
    return now !== null && now < own ? now : own;
  }

  /** Returns null if nothing of the org is due. */
  async #serve({ add, now, packing, signal }: Given, org: UnsealedOrg): Promise<TurnReport | null> {
    const upTo = sealableUpTo(org, now);
    const { head, orgId, sealed } = org;
    if (sealed > head) {
      // Both are of one snapshot, so this needs no second look.
      const fault = { position: head + 1, detail: `the head is at ${head}, but events up to ${sealed} are sealed` };
      const turn = { events: 0, segments: 0, end: { fault } };
      this.#settle(orgId, turn);
      return turn;
    }
    if (upTo === null) {
      this.#faults.delete(orgId);
      return null;
    }
    const maximumEvents = this.#limits.get(orgId) ?? MAXIMUM_EVENTS;
    const { connections } = this.#ports;
    const turn = await sealTurn({ connections, packing, now, signal }, { orgId, upTo, maximumEvents });
    add(turn);
    if (typeof turn.end === 'object' && 'error' in turn.end) this.#failed(orgId, turn.end.error, maximumEvents);
    else this.#settle(orgId, turn);
    return turn;
  }

  #failed(orgId: OrgId, error: unknown, maximumEvents: number): void {
    if (isOutage(error)) throw error;
    if (TOO_LARGE.has(failureCode(error) ?? '')) {
      this.#limits.set(orgId, Math.max(SMALLEST_SEGMENT, Math.floor(maximumEvents / 2)));
    }
    this.#ports.onError?.(error, orgId);
  }

  #settle(orgId: OrgId, { end, segments }: TurnReport): void {
    if (segments > 0) {
      const limit = 2 * (this.#limits.get(orgId) ?? MAXIMUM_EVENTS);
      if (limit < MAXIMUM_EVENTS) this.#limits.set(orgId, limit);
      else this.#limits.delete(orgId);
      this.#rollbacks.delete(orgId);
    }
    if (end === 'changed') {
      const rollbacks = (this.#rollbacks.get(orgId) ?? 0) + 1;
      this.#rollbacks.set(orgId, rollbacks);
      if (rollbacks % ROLLBACKS_REPORTED !== 0) return;
      this.#ports.onError?.(new Error(`the events changed while they were sealed, ${rollbacks} times in a row`), orgId);
    }
    if (end === 'done' || end === 'bounds') this.#faults.delete(orgId);
    if (typeof end === 'string' || !('fault' in end) || this.#faults.get(orgId) === end.fault.position) return;
    this.#faults.set(orgId, end.fault.position);
    this.#ports.onFault?.(orgId, end.fault);
  }

  #measure(org: UnsealedOrg, turn: TurnReport | null, now: Date): void {
    const walk = this.#walk;
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
  }

  /** Stores what the walk has found, if it is whole. Returns true if another walk has something to do. */
  async #endWalk(): Promise<boolean> {
    const { blockedOrgs, dueAt: found, hasMore, isWhole, unsealed } = this.#walk;
    const { clock, connections } = this.#ports;
    this.#walk = newWalk();
    if (!isWhole) return true;
    const now = clock.now();
    const state: SealingState = { unsealed, blockedOrgs, dueAt: earliest(found, nextDueAt(now)).toISOString() };
    await connections.withConnection((connection) => noteSealingState(connection, state));
    return hasMore;
  }
}

interface Serving {
  readonly add: (turn: TurnReport) => void;
  readonly mayGoOn: () => boolean;
  readonly signal: AbortSignal;
}

interface Given {
  readonly add: (turn: TurnReport) => void;
  readonly packing: Packing;
  readonly now: Date;
  readonly signal: AbortSignal;
}
