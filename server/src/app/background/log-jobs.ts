import { logStreamJobs } from '../../management/log-streams/index.ts';
import type { JobKind } from '../../platform/jobs/index.ts';
import { checkpointJobs, connectionsOver, type RetentionReport, retentionJobs } from '../../system-log/index.ts';
import type { ApplicationOptions } from '../infrastructure.ts';
import type { Services } from '../services.ts';

export function logJobsOf(options: ApplicationOptions, services: Services): Readonly<Record<string, JobKind>> {
  const { clock, log } = options;
  const { db, logSigner, relayPool } = services;
  const onRun = ({ clockStepped, deleted, dropped, emptied }: RetentionReport): void => {
    if (clockStepped) log.error('the clock made a step of more than a day: no event is dropped for a day; check it');
    if (deleted > 0 || dropped.length > 0) log.info({ dropped, deleted }, 'events left the System Log');
    if (emptied.length > 0) log.info({ emptied }, 'empty partitions of the System Log were dropped');
  };
  return {
    ...logStreamJobs(options.config.dataDirectory),
    ...checkpointJobs({ db, clock, logSigner }),
    ...retentionJobs({ connections: connectionsOver(relayPool), clock, logSigner, onRun }),
  };
}
