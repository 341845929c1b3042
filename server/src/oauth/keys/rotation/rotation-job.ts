import type { JobKind } from '../../../platform/jobs/index.ts';
import { type Foundation, systemContext } from '../../../system-log/index.ts';
import { ROTATE_SIGNING_KEYS, type RotationPorts, rotateWhenDue } from './rotate-signing-key.ts';
import { ORG_SERVER } from './rotation-rules.ts';

export interface RotationJobPorts extends RotationPorts, Pick<Foundation, 'db' | 'clock' | 'namespace'> {}

/** Jobs for the org's own server contain no `serverId`. */
const serverIdOf = (payload: unknown): string => {
  const serverId: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'serverId') : null;
  return typeof serverId === 'string' ? serverId : ORG_SERVER;
};

export const signingKeyJobs = (ports: RotationJobPorts): Readonly<Record<string, JobKind>> => ({
  [ROTATE_SIGNING_KEYS]: {
    run: ({ orgId, payload }) => {
      const context = systemContext({ orgId, namespace: ports.namespace, name: 'oauth', now: ports.clock.now() });
      return rotateWhenDue(ports, context, serverIdOf(payload));
    },
  },
});
