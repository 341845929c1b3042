import type { Context } from '../../../kernel/context.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import { type Grant, type KeysetPage, keysetPage } from '../../../platform/http/index.ts';
import { readableApp } from '../guards.ts';
import type { AppAssignmentsPorts } from '../ports.ts';
import type { ListAppUsersQuery } from '../users/list-app-users.ts';
import { type GroupAssignment, readGroupAssignments } from './group-store.ts';

export async function listAppGroups(
  { cursors, db }: Pick<AppAssignmentsPorts, 'cursors' | 'db'>,
  context: Context,
  grant: Grant,
  appId: AppId,
  query: ListAppUsersQuery,
  rawQuery: readonly (readonly [string, string])[],
): Promise<KeysetPage<GroupAssignment>> {
  const { orgId } = context;
  const { after, before, limit } = query;
  await readableApp(db, context, grant, appId);
  const q = query.q === undefined || query.q === '' ? null : query.q;
  return keysetPage(
    cursors,
    { orgId, list: `listApplicationGroupAssignments ${appId}`, limit, after, before, query: rawQuery },
    ({ priority }: GroupAssignment) => priority,
    (request) => readGroupAssignments(db, orgId, appId, q, request),
  );
}
