export { countJobs } from './cross-org-store.ts';
export { INSTALLATION, type Job, type JobKind, JobRefusedError } from './job.ts';
export {
  createJobRunner,
  type JobReport,
  type JobRunner,
} from './job-runner.ts';
export { enqueue } from './store.ts';
