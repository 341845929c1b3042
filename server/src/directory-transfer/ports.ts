import type { Context } from '../kernel/context.ts';
import type { ImportMode } from '../management/users/index.ts';
import type { Tx } from '../platform/postgres/index.ts';
import type { Foundation, Record as RecordEvent } from '../system-log/index.ts';

/** The ports of an import of users. app/ provides them. */
export interface UserImportPorts extends Pick<Foundation, 'db' | 'work'> {
  readonly groups: ImportGroups;
  /** Returns the API error for a violated constraint. Any other error is returned unchanged. */
  readonly explain: (error: unknown) => unknown;
}

export interface ImportGroups {
  /**
   * Returns the ids of groups by name. Invalid names are left out. Groups that give administrator roles are left out,
   * too, unless `administrators` is set. Creates missing groups if `writes` is set.
   */
  readonly named: (
    context: Context,
    names: readonly string[],
    mode: Pick<ImportMode, 'administrators' | 'writes'>,
  ) => Promise<ReadonlyMap<string, string>>;
  /** Adds users to a group, and returns how many of them were not members before. */
  readonly add: (
    tx: Tx,
    context: Context,
    record: RecordEvent,
    groupId: string,
    userIds: readonly string[],
  ) => Promise<number>;
}

/** The state of the relay. An import waits if too many events are waiting. */
export interface RelayWatch {
  /** Whether a relay is running. */
  readonly isAlive: boolean;
  readonly waiting: number;
}
