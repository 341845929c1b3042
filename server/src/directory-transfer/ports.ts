import type { Context } from '../kernel/context.ts';
import type { ImportMode } from '../management/users/index.ts';
import type { Tx } from '../platform/postgres/index.ts';
import type { Foundation, Record as RecordEvent } from '../system-log/index.ts';

export interface UserImportPorts extends Pick<Foundation, 'db' | 'work'> {
  readonly groups: ImportGroups;
  /**
   * Returns the API error for a violated constraint, or 503 during an outage. Any other error is returned unchanged.
   */
  readonly explain: (error: unknown) => unknown;
}

export interface ImportGroups {
  /**
   * Returns the ids of groups by name. Creates missing groups if `writes` is true; otherwise their ids are empty. Omits
   * groups that cannot be created and, unless `administrators` is true, groups with administrator roles.
   */
  readonly named: (
    context: Context,
    names: readonly string[],
    mode: Pick<ImportMode, 'administrators' | 'writes'>,
  ) => Promise<ReadonlyMap<string, string>>;
  /** Adds users to a group. Returns how many of them were not members before. */
  readonly add: (
    tx: Tx,
    context: Context,
    record: RecordEvent,
    groupId: string,
    userIds: readonly string[],
  ) => Promise<number>;
}

export interface RelayWatch {
  readonly isAlive: boolean;
  readonly waiting: number;
}
