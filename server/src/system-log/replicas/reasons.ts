interface ReasonRow {
  /** For how long the replica is left alone. */
  readonly pauseMilliseconds: number;
  /** The rest of a sentence about the replica, for a state that an operator can change. It is null for any other. */
  readonly says: string | null;
}

const passing = (pauseMilliseconds: number): ReasonRow => ({ pauseMilliseconds, says: null });
const told = (says: string): ReasonRow => ({ pauseMilliseconds: 5_000, says });

/** Why a read is served by the primary although there are replicas. The metric has the reasons as labels. */
export const REASONS = {
  /** The replica has not replayed what the primary had flushed when the read began. */
  behind: passing(1_000),
  /** The replica shows events that the primary does not show yet, for example because their commit waits. */
  unseen: passing(1_000),
  /** All connections to the replica are in use. */
  busy: passing(0),
  /** The replica cancelled the query, because the rows that it was reading had to leave. */
  conflict: passing(0),
  slow: passing(1_000),
  /** Every replica is left alone, or is known not to answer. */
  paused: passing(0),
  /** The primary did not answer where the log ends now. */
  unasked: passing(1_000),
  away: { pauseMilliseconds: 1_000, says: 'cannot be reached' },
  failed: told('failed to answer'),
  promoted: told('is not in recovery'),
  silent: told('cannot be compared with the primary, because the primary does not tell its system identifier'),
  cluster: told('belongs to another cluster than the primary'),
  database: told('has another database than the primary in its URL'),
  rights: told('does not tell whom it follows: grant pg_monitor to the role, on the primary'),
  timeline: told('does not stream from the primary, or from a standby of it'),
  diverged: told('has another log than the primary'),
  asynchronous: told('cannot be used with synchronous_commit = off'),
} as const satisfies Readonly<Record<string, ReasonRow>>;

export type Reason = keyof typeof REASONS;

/** This error ends a read at a replica. The read is repeated at the primary. */
export class ReplicaError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, cause?: unknown) {
    super(`the replica ${REASONS[reason].says ?? reason}`, { cause });
    this.reason = reason;
  }
}
