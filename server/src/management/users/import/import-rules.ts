import type { Problem } from '../../../kernel/errors/problems.ts';
import type { ImportStatus, UserStatus } from '../../../kernel/user-statuses.ts';

interface Step {
  readonly event: 'user.lifecycle.activate' | 'user.lifecycle.suspend' | 'user.lifecycle.deactivate';
  /** Null means the imported status or, for a suspended user, the status before the suspension. */
  readonly to: UserStatus | null;
}

interface Arrival {
  /** Returns why a user with or without a password cannot have the status, or null if nothing prevents it. */
  readonly refusal: (hasPassword: boolean) => Problem | null;
  /** The steps that lead from STAGED to the status, as the log records them. */
  readonly steps: readonly Step[];
}

const whoever = (): null => null;
const withPassword = (hasPassword: boolean): Problem | null =>
  hasPassword ? null : 'needs a password hash. Users without one are STAGED.';
const withoutPassword = (hasPassword: boolean): Problem | null =>
  hasPassword ? 'is for users without a password.' : null;

const activated: Step = { event: 'user.lifecycle.activate', to: null };
const suspended: Step = { event: 'user.lifecycle.suspend', to: 'SUSPENDED' };

// biome-ignore format: the columns are the documentation
export const importStatuses: Readonly<Record<ImportStatus, Arrival>> = {
  STAGED:           { refusal: whoever,         steps: [] },
  PROVISIONED:      { refusal: withoutPassword, steps: [activated] },
  ACTIVE:           { refusal: withPassword,    steps: [activated] },
  PASSWORD_EXPIRED: { refusal: withPassword,    steps: [activated] },
  SUSPENDED:        { refusal: whoever,         steps: [activated, suspended] },
  DEPROVISIONED:    { refusal: withoutPassword, steps: [{ event: 'user.lifecycle.deactivate', to: 'DEPROVISIONED' }] },
};
