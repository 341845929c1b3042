import type { Context } from '../../../kernel/context.ts';
import type { UsersPorts } from '../ports.ts';

/** A password, or an answer, that is being proved. */
export interface SlowestProof {
  /** Waits for the moment at which the slowest proof of the org would be done; to be awaited before each refusal. */
  readonly passed: () => Promise<void>;
}

/** Longer than the dearest hash that was ever taken needs twice over; nobody is kept longer. */
const MOST_MILLISECONDS = 5_000;

/**
 * Begins before a password is looked at. What a check costs is what its hash was made with, and an imported one was
 * made elsewhere: a refusal that came as soon as it could would tell who is there, and with what (ADR 0058). So each
 * comes when the dearest of the org's passwords would be done. That is waited for and not computed: without a thread
 * for hashing, a connection to the database, or a transaction.
 */
export function slowestProof(ports: UsersPorts, context: Context, password: string): SlowestProof {
  const startedAt = performance.now();
  return {
    passed: async () => {
      const costs = await ports.dearestPasswords(context.orgId);
      const whole = Math.min(ports.passwords.ampleMilliseconds(costs, password), MOST_MILLISECONDS);
      await ports.pause(startedAt + whole - performance.now());
    },
  };
}
