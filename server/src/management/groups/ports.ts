import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { Grant } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { Foundation, Record as RecordEvent } from '../../system-log/index.ts';
import type { UsersPorts } from '../users/index.ts';
import type { GroupRow } from './records/group-row.ts';

export interface PageQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly raw: readonly (readonly [name: string, value: string])[];
}

/** `app/` provides the calls to slices that this slice must not import. */
export interface GroupsPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  readonly users: UsersPorts;
  readonly appIdsOfGroup: (db: Db, orgId: OrgId, groupId: string) => Promise<readonly string[]>;
  readonly appIdsWithin: (db: Db, orgId: OrgId, grant: Grant, appIds: readonly string[]) => Promise<readonly string[]>;
  /** Leaves out apps that do not exist. */
  readonly wireApps: (
    context: Context,
    appIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;
  /** Runs before a group and its memberships are deleted, and may refuse the deletion by throwing. */
  readonly beforeDelete: (tx: Tx, context: Context, record: RecordEvent, group: GroupRow) => Promise<void>;
  /** Runs when somebody adds an existing member again by hand. */
  readonly onMembersPinned: (
    tx: Tx,
    context: Context,
    record: RecordEvent,
    userIds: readonly string[],
  ) => Promise<void>;
}
