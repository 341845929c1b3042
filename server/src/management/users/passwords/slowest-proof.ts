import type { Context } from '../../../kernel/context.ts';
import type { UsersPorts } from '../ports.ts';

export interface SlowestProof {
  /** Waits until the slowest verification in the org would have finished. Await it before each refusal. */
  readonly passed: () => Promise<void>;
}

const MOST_MILLISECONDS = 5_000;

/**
 * Call this before the verification of a password or an answer. Verification costs vary with the hash, so an immediate
 * refusal would reveal who has an account. Therefore a refusal waits as long as verifying the org's most expensive
 * password would take, up to a limit (ADR 0058).
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
