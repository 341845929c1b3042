import type { JobKind } from '../../../platform/jobs/index.ts';
import { evaluationJobs, type GroupRuleJobPorts } from './evaluation-job.ts';
import { releaseJobs } from './release-job.ts';

export const groupRuleJobs = (ports: GroupRuleJobPorts): Readonly<Record<string, JobKind>> => ({
  ...evaluationJobs(ports),
  ...releaseJobs(ports),
});
