import type { Context } from '../../../kernel/context.ts';
import type { UsersPorts } from '../ports.ts';

/** The wait that hides how long the verification of a password or an answer took. */
export interface SlowestProof {
  /** Waits until the slowest verification in the org would have finished. Await it before each refusal. */
  readonly passed: () => Promise<void>;
}

const MOST_MILLISECONDS = 5_000;

/**
 * Starts timing. Call it before the verification of a password or an answer. The cost of a verification depends on the
 * parameters of the hash, and imported hashes have different ones. An immediate refusal would therefore reveal who has
 * an account, and with which hash (ADR 0058). So every refusal waits as long as verifying the org's most expensive
 * password would take, up to 5 s. The wait uses no hashing thread, database connection or transaction.
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
