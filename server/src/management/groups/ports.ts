import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { Grant } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { Foundation, Record as RecordEvent } from '../../system-log/index.ts';
import type { UsersPorts } from '../users/index.ts';
import type { GroupRow } from './records/group-row.ts';

/** The position of a page in a list. */
export interface PageQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly raw: readonly (readonly [name: string, value: string])[];
}

/** Ports to the slices on the right of groups, which app/ hands in. */
export interface GroupsPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  /** Used to find the user whose groups are requested. */
  readonly users: UsersPorts;
  /** Ids of the apps that are assigned to a group, in their order. */
  readonly appIdsOfGroup: (db: Db, orgId: OrgId, groupId: string) => Promise<readonly string[]>;
  /** Finds which of these apps are inside a grant, in the given order. */
  readonly appIdsWithin: (db: Db, orgId: OrgId, grant: Grant, appIds: readonly string[]) => Promise<readonly string[]>;
  /** Renders these apps by id; apps that do not exist are left out. */
  readonly wireApps: (
    context: Context,
    appIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;
  /** Called before a group is deleted, while its members are still there. May refuse by throwing. */
  readonly beforeDelete: (tx: Tx, context: Context, record: RecordEvent, group: GroupRow) => Promise<void>;
  /**
   * Called with users who are added by hand to a group that rules may already have given them, because no event records
   * this.
   */
  readonly onMembersPinned: (
    tx: Tx,
    context: Context,
    record: RecordEvent,
    userIds: readonly string[],
  ) => Promise<void>;
}
