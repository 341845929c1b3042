import type { Clock } from '../../kernel/clock.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { failureCode } from '../../platform/postgres/index.ts';
import { MAXIMUM_EVENTS } from '../ledger/segments/head.ts';
import type { Connections } from '../relay/connections.ts';
import { beginRun, findNextOrg, findUnsealed, noteSealingState, noteWalk, type OrgPage } from './cross-org-store.ts';
import { areFewFurther, type FoundOrg, sealableUpTo } from './due.ts';
import { KnownFaults } from './known-faults.ts';
import { createPacking, type Packing } from './packing/packing.ts';
import type { RowFault } from './packing/unsealed-row.ts';
import { isConflict, isOutage, isTooLarge } from './sealing-errors.ts';
import { sealTurn, type TurnReport } from './turn/seal-turn.ts';
import { measure, newWalk, staleWalk, stateOf } from './walk.ts';

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
  /** `orgId` is null if the whole run failed, or if an org could not even be looked at. */
  readonly onError?: (error: unknown, orgId: OrgId | null) => void;
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
/** A roll-back or a conflict is reported when it is the org's third in a row, and again after as many more. */
const ROLLBACKS_REPORTED = 3;
/** A run ends when so many orgs in a row failed with the same code, because the fault is then not that of an org. */
const MOST_SAME_FAILURES = 20;
/** The time for which a few events wait that come after their day was sealed. */
const FURTHER_MILLISECONDS = 3_600_000;
/** A walk is not whole if it rested for longer than this between two runs. */
const LONGEST_REST_SECONDS = 60;

/**
 * Seals the events of all orgs. The orgs are served in turn, and a failure of one org does not keep the others from
 * their turns. The next run goes on where the last one ended.
 */
export class Sealer {
  readonly #ports: SealerPorts;
  #walk = newWalk();
  /** Whether the database has the walk. If it does not, this process goes on from its memory. */
  #isStored = true;
  #orgsPerPage = ORGS_PER_PAGE;
  #same = { code: '', count: 0 };
  /** The largest segments of orgs whose last one took too long. */
  readonly #limits = new Map<OrgId, number>();
  readonly #rollbacks = new Map<OrgId, number>();
  /** The times, by the clock of this process, until which a few further events of a sealed day wait. */
  readonly #restsUntil = new Map<OrgId, number>();
  readonly #faults = new KnownFaults();

  constructor(ports: SealerPorts) {
    this.#ports = ports;
  }

  async run(signal: AbortSignal): Promise<SealingReport> {
    try {
      return await this.#run(signal);
    } catch (error) {
      if (!signal.aborted) this.#ports.onError?.(error, null);
      throw error;
    }
  }

  async #run(signal: AbortSignal): Promise<SealingReport> {
    const total = { events: 0, segments: 0 };
    if (!this.#ports.maySeal()) return { ...total, unfinished: false };
    const packing = createPacking(this.#ports.packThreadFile);
    const endsAt = performance.now() + LONGEST_RUN_MILLISECONDS;
    const mayGoOn = (): boolean =>
      !signal.aborted && performance.now() < endsAt && this.#ports.isRelayBehind?.() !== true;
    const add = ({ events, segments }: TurnReport): void => {
      total.events += events;
      total.segments += segments;
    };
    try {
      this.#same = { code: '', count: 0 };
      await this.#begin();
      while (mayGoOn()) {
        const isWalked = await this.#servePage(packing, { add, mayGoOn, signal });
        if (isWalked && !(await this.#endWalk())) return { ...total, unfinished: signal.aborted };
      }
      return { ...total, unfinished: true };
    } finally {
      await packing.close();
      await this.#storeWalk();
      if (total.segments > 0) this.#ports.onSealed?.(total);
    }
  }

  /** Goes on where the last run has ended, whichever process that was. */
  async #begin(): Promise<void> {
    const stored = await this.#ports.connections.withConnection((connection) => beginRun(connection));
    if (!this.#isStored) this.#walk = staleWalk(this.#walk);
    else if (stored === null) this.#walk = newWalk();
    else this.#walk = stored.restedSeconds > LONGEST_REST_SECONDS ? staleWalk(stored.walk) : stored.walk;
  }

  async #storeWalk(): Promise<void> {
    if (this.#isStored) return;
    try {
      await this.#ports.connections.withConnection((connection) => noteWalk(connection, this.#walk));
      this.#isStored = true;
    } catch {
      // The run may have ended because the database is lost. The error that ended it is told.
    }
  }

  /** Serves the next page of orgs. Returns true if it was the last one. */
  async #servePage(packing: Packing, { add, mayGoOn, signal }: Serving): Promise<boolean> {
    this.#isStored = false;
    const walk = this.#walk;
    const page = await this.#findPage();
    if (page === null) return false;
    const now = this.#timeOf(page);
    for (const org of page.orgs) {
      if (!mayGoOn()) return false;
      // An org that ends the run with an outage is not the first one of the next run.
      walk.afterOrgId = org.orgId;
      const turn = await this.#serve({ add, packing, now, signal }, org);
      measure(walk, org, turn, now);
      if (turn !== null && typeof turn.end === 'object' && 'error' in turn.end) this.#endIfCommon(turn.end.error);
      else this.#same = { code: '', count: 0 };
    }
    if (page.lastOrgId === null) return true;
    walk.afterOrgId = page.lastOrgId;
    return false;
  }

  /**
   * Returns null if the next orgs could not be looked at, because the statement took too long or waited for a lock too
   * long. Then the next page is smaller. An org that cannot be looked at even alone is reported and passed over.
   */
  async #findPage(): Promise<OrgPage | null> {
    const { connections } = this.#ports;
    const walk = this.#walk;
    const count = this.#orgsPerPage;
    try {
      const page = await connections.withConnection((connection) => findUnsealed(connection, walk.afterOrgId, count));
      this.#orgsPerPage = Math.min(ORGS_PER_PAGE, 2 * count);
      return page;
    } catch (error) {
      if (!isConflict(error) && !isTooLarge(error)) throw error;
      this.#orgsPerPage = Math.max(1, Math.floor(count / 2));
      if (count > 1) return null;
      this.#ports.onError?.(error, null);
    }
    const orgId = await connections.withConnection((connection) => findNextOrg(connection, walk.afterOrgId));
    // Nobody knows what is unsealed in the org. The stored state grows older instead, until it counts as late.
    walk.isWhole = false;
    if (orgId !== null) walk.afterOrgId = orgId;
    return null;
  }

  #endIfCommon(error: unknown): void {
    if (isOutage(error)) throw error;
    const code = failureCode(error) ?? '';
    this.#same = { code, count: code === this.#same.code ? this.#same.count + 1 : 1 };
    if (this.#same.count < MOST_SAME_FAILURES || isConflict(error)) return;
    this.#same = { code: '', count: 0 };
    throw error;
  }

  /** A clock that is ahead would cut small segments, so the earlier one of two clocks counts. */
  #timeOf({ now }: OrgPage): Date {
    const own = this.#ports.clock.now();
    return now !== null && now < own ? now : own;
  }

  /** Returns null if nothing of the org is due. */
  async #serve({ add, now, packing, signal }: Given, org: FoundOrg): Promise<TurnReport | null> {
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
      this.#faults.forget(orgId);
      return null;
    }
    const fault = this.#faults.passOver(orgId);
    if (fault !== null) return { events: 0, segments: 0, end: { fault } };
    if (areFewFurther(org) && performance.now() < (this.#restsUntil.get(orgId) ?? 0)) {
      return { events: 0, segments: 0, end: 'done' };
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
    // An outage ends the run, which reports it.
    if (isOutage(error)) return;
    if (isConflict(error) && !this.#isRepeated(orgId)) return;
    if (isTooLarge(error)) {
      this.#limits.set(orgId, Math.max(SMALLEST_SEGMENT, Math.floor(maximumEvents / 2)));
    }
    this.#ports.onError?.(error, orgId);
  }

  /** Counts a roll-back or a conflict. Returns true if it must be reported. */
  #isRepeated(orgId: OrgId): boolean {
    const rollbacks = (this.#rollbacks.get(orgId) ?? 0) + 1;
    this.#rollbacks.set(orgId, rollbacks);
    return rollbacks % ROLLBACKS_REPORTED === 0;
  }

  #settle(orgId: OrgId, { end, segments }: TurnReport): void {
    if (segments > 0) {
      const limit = 2 * (this.#limits.get(orgId) ?? MAXIMUM_EVENTS);
      if (limit < MAXIMUM_EVENTS) this.#limits.set(orgId, limit);
      else this.#limits.delete(orgId);
      this.#rollbacks.delete(orgId);
    }
    if (end === 'changed') {
      if (!this.#isRepeated(orgId)) return;
      const rollbacks = this.#rollbacks.get(orgId) ?? 0;
      this.#ports.onError?.(new Error(`the events changed while they were sealed, ${rollbacks} times in a row`), orgId);
    }
    if (end === 'done' && segments > 0) this.#restsUntil.set(orgId, performance.now() + FURTHER_MILLISECONDS);
    if (end === 'done' || end === 'bounds') this.#faults.forget(orgId);
    if (typeof end === 'string' || !('fault' in end)) return;
    if (this.#faults.note(orgId, end.fault)) this.#ports.onFault?.(orgId, end.fault);
  }

  /** Stores what the walk has found, if it is whole. Returns true if another walk has something to do. */
  async #endWalk(): Promise<boolean> {
    const walk = this.#walk;
    const { clock, connections } = this.#ports;
    this.#walk = newWalk(walk.isWhole ? walk.lateSince : { ...walk.lateBefore, ...walk.lateSince });
    if (!walk.isWhole) return walk.hasMore;
    const state = stateOf(walk, clock.now());
    await connections.withConnection((connection) => noteSealingState(connection, state, this.#walk));
    this.#isStored = true;
    return walk.hasMore;
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
