import type { OrgId } from '../../kernel/words/ids.ts';
import { toOrgId } from '../../kernel/words/ids.ts';
import type { Backoff } from './backoff.ts';

/** Jobs that belong to no org (purges, partitions) are stored under an id that no org can have. */
export const INSTALLATION: OrgId = toOrgId('installation');

export interface NewJob {
  readonly kind: string;
  /** A JSON value without secrets, because the row is not sealed. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly runAt: Date;
  /** One waiting job per (org, kind, key): a second one replaces its payload and takes the earlier time. */
  readonly dedupeKey?: string;
}

/** A claimed job as its handler sees it. It runs at least once, and again after a crash, so it must be repeatable. */
export interface Job {
  readonly orgId: OrgId;
  readonly id: number;
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** 1 for the first run. */
  readonly attempt: number;
  /** Aborted when the process stops or the lease was lost: then another process may already run the job. */
  readonly signal: AbortSignal;
}

/** The job continues at this time. That is not a failure, and its attempts start at 1 again. */
export interface JobAgain {
  readonly runAgainAt: Date;
}

/** The result of a handler; most return nothing. */
export type JobHandler = (job: Job) => Promise<JobAgain | undefined> | Promise<void>;

export interface JobKind {
  readonly run: JobHandler;
  /** If set, the job never ends and runs again this long after each run. */
  readonly everyMilliseconds?: number;
  readonly maximumAttempts?: number;
  /** Pauses between failed attempts. */
  readonly backoff?: Backoff;
}

/** Thrown by a handler when a retry is useless: the job is dead at once. */
export class JobRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JobRefusedError';
  }
}
