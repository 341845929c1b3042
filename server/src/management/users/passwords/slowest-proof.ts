import type { Context } from '../../../kernel/context.ts';
import type { UsersPorts } from '../ports.ts';

/** The verification of a password or an answer. */
export interface SlowestProof {
  /** Waits until the slowest verification in the org would have finished; await it before each refusal. */
  readonly passed: () => Promise<void>;
}

/** More than twice the time of the most expensive hash ever accepted; nobody waits longer. */
const MOST_MILLISECONDS = 5_000;

/**
 * Starts timing before a password is read. The cost of a check depends on the parameters of its hash, and imported ones
 * differ: an immediate refusal would reveal who has an account, and with which hash (ADR 0058). So every refusal waits
 * as long as the most expensive of the org's passwords would take. The wait costs no hashing thread, database
 * connection or transaction.
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
