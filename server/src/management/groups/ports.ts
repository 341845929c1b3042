import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { CursorCodec, Grant } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { Record as RecordEvent, Work } from '../../system-log/index.ts';
import type { UsersPorts } from '../users/index.ts';
import type { GroupRow } from './records/group-row.ts';

/** Where a page stands. */
export interface PageQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly raw: readonly (readonly [name: string, value: string])[];
}

/** What groups need of others; what lies to their right is handed in by app/. */
export interface GroupsPorts {
  readonly db: Db;
  readonly work: Work;
  readonly cursors: CursorCodec;
  /** To find the user whose groups are asked for. */
  readonly users: UsersPorts;
  /** Ids of the apps that are assigned to a group, in their order. */
  readonly appIdsOfGroup: (db: Db, orgId: OrgId, groupId: string) => Promise<readonly string[]>;
  /** Those of these apps that a grant opens, in the order given. */
  readonly appIdsWithin: (db: Db, orgId: OrgId, grant: Grant, appIds: readonly string[]) => Promise<readonly string[]>;
  /** Those of these apps that there are, as the wire has them, by id. */
  readonly wireApps: (
    context: Context,
    appIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;
  /** Told before a group goes, while its members still are there. May refuse by throwing. */
  readonly beforeDelete: (tx: Tx, context: Context, record: RecordEvent, group: GroupRow) => Promise<void>;
  /** Told of those who are put by hand into a group that rules may have given already: there is no event of it. */
  readonly whenKept: (tx: Tx, context: Context, record: RecordEvent, userIds: readonly string[]) => Promise<void>;
}
