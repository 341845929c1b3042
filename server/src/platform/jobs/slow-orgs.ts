import type { OrgId } from '../../kernel/words/ids.ts';
import { INSTALLATION } from './job.ts';

/** The half-life of the recorded time that an org's jobs took. */
const HALF_LIFE_MILLISECONDS = 10_000;
const LEAST_MILLISECONDS = 1;

interface Spent {
  readonly milliseconds: number;
  readonly at: number;
}

const left = ({ at, milliseconds }: Spent, now: number): number =>
  milliseconds * 2 ** ((at - now) / HALF_LIFE_MILLISECONDS);

/**
 * This class tracks the orgs whose jobs take a long time, be it one job that waits for a host or thousands of short
 * ones.
 */
export class SlowOrgs {
  readonly #slowMilliseconds: number;
  readonly #running = new Map<symbol, { readonly orgId: OrgId; readonly startedAt: number }>();
  readonly #spent = new Map<OrgId, Spent>();

  constructor(slowMilliseconds: number) {
    this.#slowMilliseconds = slowMilliseconds;
  }

  began(orgId: OrgId): () => void {
    if (orgId === INSTALLATION) return () => undefined;
    const key = Symbol('job');
    const startedAt = performance.now();
    this.#running.set(key, { orgId, startedAt });
    return () => {
      this.#running.delete(key);
      const now = performance.now();
      const before = this.#spent.get(orgId);
      const milliseconds = now - startedAt + (before === undefined ? 0 : left(before, now));
      this.#spent.set(orgId, { milliseconds, at: now });
    };
  }

  get all(): readonly OrgId[] {
    const now = performance.now();
    const sums = new Map<OrgId, number>();
    const add = (orgId: OrgId, milliseconds: number) => sums.set(orgId, (sums.get(orgId) ?? 0) + milliseconds);
    for (const [orgId, spent] of this.#spent) {
      const milliseconds = left(spent, now);
      if (milliseconds < LEAST_MILLISECONDS) this.#spent.delete(orgId);
      else add(orgId, milliseconds);
    }
    for (const { orgId, startedAt } of this.#running.values()) add(orgId, now - startedAt);
    return [...sums]
      .filter(([, milliseconds]) => milliseconds >= this.#slowMilliseconds)
      .toSorted(([, one], [, other]) => other - one)
      .map(([orgId]) => orgId);
  }
}
