import type { EventType } from '../../src/system-log/index.ts';
import { good } from '../support/custom-servers.ts';
import type { Parent } from './ends-holding.ts';
import type { AssignedBy, EndsWorld } from './ends-world.ts';

/** A request that deactivates, deletes, revokes or takes away. */
export interface Ending {
  readonly name: string;
  /** Events that the log must contain, so that no row claims a change that it does not make. */
  readonly events: readonly EventType[];
  /** Nothing: every credential stays valid. */
  readonly ends: readonly Parent[];
  readonly apply: (world: EndsWorld) => Promise<unknown>;
  /** How the user has the app. */
  readonly by?: AssignedBy;
  /** Whether the change needs its own server (`server`) or its own org (`org`). */
  readonly alone?: 'server' | 'org';
}

export const lifecycle = ({ org }: EndsWorld, path: string, ...actions: readonly string[]) =>
  actions.reduce<Promise<unknown>>(
    (before, action) => before.then(() => good(org.admin.post(`${path}/lifecycle/${action}`))),
    Promise.resolve(),
  );

export const remove = ({ org }: EndsWorld, path: string) => good(org.admin.del(path));
