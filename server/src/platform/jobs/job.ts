import type { OrgId } from '../../kernel/words/ids.ts';
import { toOrgId } from '../../kernel/words/ids.ts';
import type { Backoff } from './backoff.ts';

/** The id under which jobs that belong to no org (purges, partitions) are stored. */
export const INSTALLATION: OrgId = toOrgId('installation');

export interface NewJob {
  readonly kind: string;
  /** A JSON object. It must not contain secrets, because the row is not encrypted. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly runAt: Date;
  /** A second job of the same kind and key replaces the payload of the first. */
  readonly dedupeKey?: string;
}

/** A job can run more than once, so its handler must be repeatable. */
export interface Job {
  readonly orgId: OrgId;
  readonly id: number;
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The number of this attempt, starting with 1. */
  readonly attempt: number;
  /** The signal is aborted when the first grace period of a stopping runner ends, or when the lease was lost. */
  readonly signal: AbortSignal;
  /**
   * Returns whether this process still has the job. A handler asks before it sends something that another process may
   * send too: a process that was paused learns by this call that its lease has ended.
   */
  readonly isHeld: () => boolean;
}

/** A handler returns this to run its job again later. That is not a failure: attempts count from 1 again. */
export interface JobAgain {
  readonly runAgainAt: Date;
}

export type JobHandler = (job: Job) => Promise<JobAgain | undefined> | Promise<void>;

export interface JobKind {
  readonly run: JobHandler;
  /** If set, the job runs again this long after a success, or after a failure that is not retried. */
  readonly everyMilliseconds?: number;
  readonly maximumAttempts?: number;
  readonly backoff?: Backoff;
}

/**
 * This error is thrown by a handler if a retry would be useless. The job is then dead at once, unless it is a recurring
 * job.
 */
export class JobRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JobRefusedError';
  }
}
