import type { Clock } from '../../../kernel/clock.ts';
import type { Context } from '../../../kernel/context.ts';
import type { Namespace } from '../../../kernel/words/namespace.ts';
import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import { systemContext, type Work } from '../../../system-log/index.ts';
import { findIncompleteOrgs } from '../cross-org-store.ts';
import { findOrgForUpdate } from '../store.ts';

export interface OrgCompletionPorts {
  readonly db: Db;
  readonly work: Work;
  readonly clock: Clock;
  readonly namespace: Namespace;
  /** Gives an org what it lacks of what new ones get; without effect on one that lacks nothing. */
  readonly complete: (tx: Tx, context: Context) => Promise<void>;
}

const EVERY_MILLISECONDS = 60_000;
const ORGS_AT_ONCE = 200;

/**
 * While an older version serves beside this one, orgs that it makes lack what they get here. They get it within a
 * minute, from whichever process of this version takes the job.
 */
export function orgCompletionJobs(ports: OrgCompletionPorts): Readonly<Record<string, JobKind>> {
  const run = async (): Promise<void> => {
    for (const orgId of await findIncompleteOrgs(ports.db, ORGS_AT_ONCE)) {
      const context = systemContext({ orgId, namespace: ports.namespace, name: 'orgs', now: ports.clock.now() });
      await ports.work(context, async (tx) => {
        // Two at once: the second one finds that nothing is lacking.
        if ((await findOrgForUpdate(tx, orgId)) !== undefined) await ports.complete(tx, context);
      });
    }
  };
  return { 'orgs.complete': { run, everyMilliseconds: EVERY_MILLISECONDS } };
}
