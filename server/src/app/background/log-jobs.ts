import { type Clock, systemClock } from '../../kernel/clock.ts';
import { logStreamJobs } from '../../management/log-streams/index.ts';
import type { JobKind } from '../../platform/jobs/index.ts';
import {
  checkpointJobs,
  connectionsOver,
  oneAtATime,
  packThreadFile,
  type RetentionReport,
  retentionJobs,
  sealingJobs,
} from '../../system-log/index.ts';
import type { ApplicationOptions } from '../infrastructure.ts';
import type { Services } from '../services.ts';

/** The migration after which events may be sealed, because every process reads segments (ADR 0080). */
const FRESH_LOG = 52;

type SealingPorts = Parameters<typeof sealingJobs>[0];

/** The module is missing only if the build is damaged, so this is said at the start, once for each process. */
function packThreadFileOf(log: ApplicationOptions['log']): string | null {
  const file = packThreadFile();
  if (file === null) log.warn('the module of the thread that packs events is missing: packing delays requests');
  return file;
}

function sealingPortsOf(
  options: ApplicationOptions,
  { backpressure, databaseLog, nodes }: Services,
): Omit<SealingPorts, 'connections'> {
  const { log, metrics } = options;
  return {
    clock: ownClock(options),
    maySeal: () => nodes.mayWrite(FRESH_LOG),
    isRelayBehind: () => backpressure.level() !== 'none',
    packThreadFile: packThreadFileOf(log),
    onSealed: (sealed) => metrics?.eventsSealed(sealed),
    onFault: (orgId, fault) =>
      log.error({ orgId, ...fault }, 'an event is not what was written: nothing after it is sealed; verify the log'),
    onError: (error, orgId) => {
      metrics?.sealingFailed();
      const what = orgId === null ? 'sealing of the System Log failed' : `the log of ${orgId} could not be sealed`;
      databaseLog.failed(error, what);
    },
  };
}

/** Returns the clock for work that compares this machine's time with the database's. It must not follow the latter. */
const ownClock = ({ clock, followingClock }: ApplicationOptions): Clock =>
  followingClock === undefined ? clock : systemClock;

export function logJobsOf(options: ApplicationOptions, services: Services): Readonly<Record<string, JobKind>> {
  const { clock, log } = options;
  const { databaseLog, db, logSigner, relayPool } = services;
  // Sealing and retention share a connection, so that the relay always has one for itself.
  const connections = oneAtATime(connectionsOver(relayPool));
  const onRun = ({ clockStepped, deleted, dropped, emptied }: RetentionReport): void => {
    if (clockStepped) log.error('the clock made a step of more than a day: no event is dropped for a day; check it');
    if (deleted > 0 || dropped.length > 0) log.info({ dropped, deleted }, 'events left the System Log');
    if (emptied.length > 0) log.info({ emptied }, 'empty partitions of the System Log were dropped');
  };
  return {
    ...logStreamJobs(options.config.dataDirectory),
    ...checkpointJobs({ db, clock, logSigner }),
    ...retentionJobs({
      connections,
      clock: ownClock(options),
      logSigner,
      onRun,
      onFailure: (error, orgId) => databaseLog.failed(error, `the log of ${orgId} could not be shortened`),
    }),
    ...sealingJobs({ ...sealingPortsOf(options, services), connections }),
  };
}
