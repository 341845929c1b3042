import type { JobKind } from '../../platform/jobs/index.ts';
import { Sealer, type SealerPorts } from './sealer.ts';

const EVERY_MILLISECONDS = 60_000;
/** The pause after an unfinished run. If the relay is behind, each run ends at once. */
const PAUSE_MILLISECONDS = 1_000;

/** A run is short, so that it does not occupy a place of the job runner for long. An unfinished one soon goes on. */
export function sealingJobs(ports: SealerPorts): Readonly<Record<string, JobKind>> {
  const sealer = new Sealer(ports);
  return {
    'log.sealing': {
      everyMilliseconds: EVERY_MILLISECONDS,
      run: async ({ signal }) => {
        const { unfinished } = await sealer.run(signal);
        if (!unfinished) return undefined;
        return { runAgainAt: new Date(ports.clock.now().getTime() + PAUSE_MILLISECONDS) };
      },
    },
  };
}
