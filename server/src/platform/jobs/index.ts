export { type Backoff, backoffMilliseconds } from './backoff.ts';
export { countJobs } from './cross-org-store.ts';
export { INSTALLATION, type Job, type JobAgain, type JobKind, JobRefusedError } from './job.ts';
export {
  createJobRunner,
  type JobReport,
  type JobRunner,
} from './job-runner.ts';
export { enqueue, forget } from './store.ts';
