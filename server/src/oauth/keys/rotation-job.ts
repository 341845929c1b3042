import type { Clock } from '../../kernel/clock.ts';
import type { Namespace } from '../../kernel/namespace.ts';
import type { JobKind } from '../../platform/jobs/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { systemContext } from '../../system-log/index.ts';
import { ROTATE_SIGNING_KEYS, type RotationPorts, rotateWhenDue } from './rotate-signing-key.ts';

export interface RotationJobPorts extends RotationPorts {
  readonly db: Db;
  readonly clock: Clock;
  readonly namespace: Namespace;
}

/** The job that keeps signing keys young: planned with each key, it plans itself anew. */
export const signingKeyJobs = (ports: RotationJobPorts): Readonly<Record<string, JobKind>> => ({
  [ROTATE_SIGNING_KEYS]: {
    run: ({ orgId }) =>
      rotateWhenDue(ports, systemContext({ orgId, namespace: ports.namespace, name: 'oauth', now: ports.clock.now() })),
  },
});
