import type { JobKind } from '../../platform/jobs/index.ts';
import { type RetentionPorts, runRetention } from './retention.ts';

const EVERY_MILLISECONDS = 3_600_000;
/** The pause after an unfinished run. */
const SOON_MILLISECONDS = 60_000;

export const retentionJobs = (ports: RetentionPorts): Readonly<Record<string, JobKind>> => ({
  'log.retention': {
    everyMilliseconds: EVERY_MILLISECONDS,
    run: async ({ signal }) => {
      const { unfinished } = await runRetention(ports, signal);
      if (!unfinished) return undefined;
      return { runAgainAt: new Date(ports.clock.now().getTime() + SOON_MILLISECONDS) };
    },
  },
});
