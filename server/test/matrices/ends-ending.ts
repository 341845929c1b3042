import type { EventType } from '../../src/system-log/index.ts';
import { good } from '../support/custom-servers.ts';
import type { Parent } from './ends-holding.ts';
import type { AssignedBy, EndsWorld } from './ends-world.ts';

export interface Ending {
  readonly name: string;
  readonly events: readonly EventType[];
  readonly ends: readonly Parent[];
  readonly apply: (world: EndsWorld) => Promise<unknown>;
  readonly by?: AssignedBy;
  /** Whether the change needs an authorization server (`server`) or an org (`org`) of its own. */
  readonly alone?: 'server' | 'org';
}

export const lifecycle = ({ org }: EndsWorld, path: string, ...actions: readonly string[]) =>
  actions.reduce<Promise<unknown>>(
    (before, action) => before.then(() => good(org.admin.post(`${path}/lifecycle/${action}`))),
    Promise.resolve(),
  );

export const remove = ({ org }: EndsWorld, path: string) => good(org.admin.del(path));
