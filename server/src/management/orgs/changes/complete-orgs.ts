import type { Context } from '../../../kernel/context.ts';
import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { type Foundation, systemContext } from '../../../system-log/index.ts';
import { findIncompleteOrgs } from '../cross-org-store.ts';
import { findOrgForUpdate } from '../store.ts';

export interface OrgCompletionPorts extends Pick<Foundation, 'db' | 'work' | 'clock' | 'namespace'> {
  readonly complete: (tx: Tx, context: Context) => Promise<void>;
}

const EVERY_MILLISECONDS = 60_000;
const ORGS_AT_ONCE = 200;

/** Defines a job to complete orgs that an older release created while it ran beside this one. */
export function orgCompletionJobs(ports: OrgCompletionPorts): Readonly<Record<string, JobKind>> {
  const run = async (): Promise<void> => {
    for (const orgId of await findIncompleteOrgs(ports.db, ORGS_AT_ONCE)) {
      const context = systemContext({ orgId, namespace: ports.namespace, name: 'orgs', now: ports.clock.now() });
      await ports.work(context, async (tx) => {
        // The lock makes a second run wait, so that it finds the org complete.
        if ((await findOrgForUpdate(tx, orgId)) !== undefined) await ports.complete(tx, context);
      });
    }
  };
  return { 'orgs.complete': { run, everyMilliseconds: EVERY_MILLISECONDS } };
}
