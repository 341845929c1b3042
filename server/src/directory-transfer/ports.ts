import type { Context } from '../kernel/context.ts';
import type { ImportMode } from '../management/users/index.ts';
import type { Tx } from '../platform/postgres/index.ts';
import type { Foundation, Record as RecordEvent } from '../system-log/index.ts';

/** Ports of an import of users, which app/ hands in. */
export interface UserImportPorts extends Pick<Foundation, 'db' | 'work'> {
  readonly groups: ImportGroups;
  /** The answer to a failed statement, where it is one: the constraint's error. */
  readonly explain: (error: unknown) => unknown;
}

export interface ImportGroups {
  /**
   * Groups by name, without those whose name can't be one, and without those that give administrator roles unless
   * `administrators`. Makes what is missing where `writes`.
   */
  readonly named: (
    context: Context,
    names: readonly string[],
    mode: Pick<ImportMode, 'administrators' | 'writes'>,
  ) => Promise<ReadonlyMap<string, string>>;
  /** Puts users into a group; returns how many were not in it. */
  readonly add: (
    tx: Tx,
    context: Context,
    record: RecordEvent,
    groupId: string,
    userIds: readonly string[],
  ) => Promise<number>;
}

/** How far the queue of events is behind, for an import that must not outrun the relay. */
export interface RelayWatch {
  /** Whether some process numbers events at this moment. */
  readonly isAlive: boolean;
  readonly waiting: number;
}
