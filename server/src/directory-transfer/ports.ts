import type { Context } from '../kernel/context.ts';
import type { ImportMode } from '../management/users/index.ts';
import type { Tx } from '../platform/postgres/index.ts';
import type { Foundation, Record as RecordEvent } from '../system-log/index.ts';

/** Ports of an import of users, which app/ fills in. */
export interface UserImportPorts extends Pick<Foundation, 'db' | 'work'> {
  readonly groups: ImportGroups;
  /** Returns the API error of a violated constraint, or the error itself for other failures. */
  readonly explain: (error: unknown) => unknown;
}

export interface ImportGroups {
  /**
   * Returns groups by name, without invalid names, and without groups that give administrator roles unless
   * `administrators` is set. Creates missing groups if `writes` is set.
   */
  readonly named: (
    context: Context,
    names: readonly string[],
    mode: Pick<ImportMode, 'administrators' | 'writes'>,
  ) => Promise<ReadonlyMap<string, string>>;
  /** Adds users to a group and returns how many were not in it before. */
  readonly add: (
    tx: Tx,
    context: Context,
    record: RecordEvent,
    groupId: string,
    userIds: readonly string[],
  ) => Promise<number>;
}

/** The backlog of the relay, so that an import does not outrun it. */
export interface RelayWatch {
  /** Whether a relay is running. */
  readonly isAlive: boolean;
  readonly waiting: number;
}
