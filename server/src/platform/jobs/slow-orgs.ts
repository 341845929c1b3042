import type { OrgId } from '../../kernel/ids.ts';

/** For so long behind its last slow job an org lets others go first. */
const REMEMBERED_MILLISECONDS = 30_000;

/** Which orgs' jobs hold their places for long: the hosts that they ask let us wait, say. */
export class SlowOrgs {
  readonly #slowMilliseconds: number;
  readonly #running = new Map<symbol, { readonly orgId: OrgId; readonly startedAt: number }>();
  readonly #until = new Map<OrgId, number>();

  constructor(slowMilliseconds: number) {
    this.#slowMilliseconds = slowMilliseconds;
  }

  /** A job of the org starts; to be called when it has ended. */
  began(orgId: OrgId): () => void {
    const key = Symbol('job');
    const startedAt = performance.now();
    this.#running.set(key, { orgId, startedAt });
    return () => {
      this.#running.delete(key);
      if (this.#isSlow(startedAt)) this.#until.set(orgId, performance.now() + REMEMBERED_MILLISECONDS);
    };
  }

  /** Orgs that are slow at this moment or were lately. */
  get all(): readonly OrgId[] {
    const now = performance.now();
    for (const [orgId, until] of this.#until) if (until <= now) this.#until.delete(orgId);
    const running = [...this.#running.values()].filter(({ startedAt }) => this.#isSlow(startedAt));
    return [...new Set([...this.#until.keys(), ...running.map(({ orgId }) => orgId)])];
  }

  #isSlow(startedAt: number): boolean {
    return performance.now() - startedAt >= this.#slowMilliseconds;
  }
}
