import type { OrgId } from '../../kernel/words/ids.ts';
import type { RowFault } from './packing/unsealed-row.ts';

/** The largest number of walks that pass over an org with a known fault. */
const LONGEST_PAUSE = 16;

interface KnownFault {
  readonly fault: RowFault;
  /** The number of walks that pass over the org after a turn. */
  readonly pause: number;
  /** The number of walks that still do. */
  wait: number;
}

/**
 * Remembers the faults behind which orgs are blocked. Finding a fault again costs as much as packing a segment, so an
 * org is passed over in more and more walks while its fault stays.
 */
export class KnownFaults {
  readonly #known = new Map<OrgId, KnownFault>();

  /** Returns the org's fault if this walk passes over the org. */
  passOver(orgId: OrgId): RowFault | null {
    const known = this.#known.get(orgId);
    if (known === undefined || known.wait === 0) return null;
    known.wait -= 1;
    return known.fault;
  }

  /** Returns true if the fault is not known yet. */
  note(orgId: OrgId, fault: RowFault): boolean {
    const known = this.#known.get(orgId);
    const isNew = known?.fault.position !== fault.position;
    const pause = isNew ? 0 : Math.min(LONGEST_PAUSE, Math.max(1, 2 * known.pause));
    this.#known.set(orgId, { fault, pause, wait: pause });
    return isNew;
  }

  forget(orgId: OrgId): void {
    this.#known.delete(orgId);
  }
}
