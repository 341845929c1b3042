/** The initial minimum time between two polls (RFC 8628 3.2). Each poll that comes too soon adds this much to it. */
export const INTERVAL_SECONDS = 5;

export interface PollState {
  readonly status: 'PENDING' | 'APPROVED' | 'DENIED';
  readonly expiresAt: Date;
  /** Null means that the client has not polled yet. */
  readonly lastPolledAt: Date | null;
  readonly intervalSeconds: number;
}

/** The result of a poll (RFC 8628 3.5). */
export type PollVerdict = 'approved' | 'denied' | 'expired' | 'pending' | 'slowDown';

/** Once the user has answered, even a poll that comes too soon gets the answer, unless the request has expired. */
export function pollVerdict({ expiresAt, intervalSeconds, lastPolledAt, status }: PollState, now: Date): PollVerdict {
  if (expiresAt <= now) return 'expired';
  if (status !== 'PENDING') return status === 'APPROVED' ? 'approved' : 'denied';
  if (lastPolledAt === null) return 'pending';
  return now.getTime() - lastPolledAt.getTime() < intervalSeconds * 1_000 ? 'slowDown' : 'pending';
}

export const intervalAfter = (verdict: PollVerdict, intervalSeconds: number): number =>
  verdict === 'slowDown' ? intervalSeconds + INTERVAL_SECONDS : intervalSeconds;
