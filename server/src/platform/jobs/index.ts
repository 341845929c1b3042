export { countJobs, type JobCounts } from './cross-org-store.ts';
export { INSTALLATION, type Job, type JobHandler, type JobKind, JobRefusedError, type NewJob } from './job.ts';
export {
  createJobRunner,
  type JobReport,
  type JobResult,
  type JobRunner,
  type JobRunnerOptions,
} from './job-runner.ts';
export { enqueue } from './store.ts';
