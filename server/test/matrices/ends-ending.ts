import type { EventType } from '../../src/system-log/index.ts';
import { good } from '../support/custom-servers.ts';
import type { Parent } from './ends-holding.ts';
import type { AssignedBy, EndsWorld } from './ends-world.ts';

/** A change that deactivates, deletes, revokes or removes something. */
export interface Ending {
  readonly name: string;
  /** Events that the log must contain afterwards. They show that the change really happened. */
  readonly events: readonly EventType[];
  /** The parents that the change ends. If the list is empty, every credential stays valid. */
  readonly ends: readonly Parent[];
  readonly apply: (world: EndsWorld) => Promise<unknown>;
  /** How the app is assigned to the user; directly by default. */
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
