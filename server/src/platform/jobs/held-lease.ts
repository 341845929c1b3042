import type { Db } from '../postgres/index.ts';
import { type Lease, renew } from './store.ts';

export interface HeldLeaseOptions {
  readonly db: Db;
  readonly leaseMilliseconds: number;
  readonly onError?: (error: unknown) => void;
}

/**
 * The lease of a running job, which is renewed until `end`. It counts as lost when it was not renewed in time, because
 * another process may then have the job: this process may have been paused, or cut off from the database.
 */
export class HeldLease {
  readonly #options: HeldLeaseOptions;
  readonly #controller: AbortController;
  readonly #timer: NodeJS.Timeout;
  #lease: Lease;
  #endsAt: number;
  #isLost = false;
  #renewing: Promise<void> = Promise.resolve();

  /** `endsAt` is the value of `performance.now()` until which the lease is valid at least. */
  constructor(options: HeldLeaseOptions, lease: Lease, endsAt: number, controller: AbortController) {
    this.#options = options;
    this.#controller = controller;
    this.#lease = lease;
    this.#endsAt = endsAt;
    this.#timer = setInterval(() => this.#renew(), options.leaseMilliseconds / 3);
  }

  readonly isHeld = (): boolean => {
    if (performance.now() <= this.#endsAt && !this.#isLost) return true;
    this.#isLost = true;
    this.#controller.abort();
    return false;
  };

  /** Ends the renewals. Returns the latest lease, or null if it was lost. */
  async end(): Promise<Lease | null> {
    clearInterval(this.#timer);
    // The row has the end of the latest lease, so a renewal that is under way is awaited.
    await this.#renewing;
    return this.#isLost ? null : this.#lease;
  }

  #renew(): void {
    if (!this.isHeld()) return;
    const askedAt = performance.now();
    const { db, leaseMilliseconds, onError } = this.#options;
    this.#renewing = renew(db, this.#lease, leaseMilliseconds)
      .then((renewed) => {
        if (renewed === null) this.#endsAt = Number.NEGATIVE_INFINITY;
        else [this.#lease, this.#endsAt] = [renewed, askedAt + leaseMilliseconds];
        this.isHeld();
      })
      .catch((error: unknown) => onError?.(error));
  }
}
