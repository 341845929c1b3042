/** How long a client waits between two polls by default (RFC 8628 3.2), and how much longer after polling too fast. */
export const INTERVAL_SECONDS = 5;

export interface PollState {
  readonly status: 'PENDING' | 'APPROVED' | 'DENIED';
  readonly expiresAt: Date;
  /** Null means that the client has not polled yet. */
  readonly lastPolledAt: Date | null;
  readonly intervalSeconds: number;
}

/** The answer to a polling client (RFC 8628 3.5). */
export type PollVerdict = 'approved' | 'denied' | 'expired' | 'pending' | 'slowDown';

/**
 * Once there is an answer, the client gets it with any poll. Until then, a client that polls too often has to slow
 * down.
 */
export function pollVerdict({ expiresAt, intervalSeconds, lastPolledAt, status }: PollState, now: Date): PollVerdict {
  if (expiresAt <= now) return 'expired';
  if (status !== 'PENDING') return status === 'APPROVED' ? 'approved' : 'denied';
  if (lastPolledAt === null) return 'pending';
  return now.getTime() - lastPolledAt.getTime() < intervalSeconds * 1_000 ? 'slowDown' : 'pending';
}

/** The new interval: five seconds are added each time that the client was too fast. */
export const intervalAfter = (verdict: PollVerdict, intervalSeconds: number): number =>
  verdict === 'slowDown' ? intervalSeconds + INTERVAL_SECONDS : intervalSeconds;
