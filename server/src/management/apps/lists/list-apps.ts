import { type CheckedExpression, readFilter } from '../../../filter/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { outOfRange, tooMany } from '../../../kernel/errors/field-errors.ts';
import { type Grant, type KeysetPage, keysetPage } from '../../../platform/http/index.ts';
import type { AppRoutesPorts } from '../route-ports.ts';
import { type App, assigneeOf, readApps } from '../store.ts';
import { APP_FIELDS } from './filter-fields.ts';
import { type ShownApp, showApps } from './show-apps.ts';

export const MAXIMUM_PAGE_SIZE = 200;
/** The `limit` with which published clients ask for the largest page. */
export const WHOLE_PAGE = -1;

/** The maximum number of users and groups in a filter. Each of them costs a query. */
const MAXIMUM_ASSIGNEES = 10;

export interface ListAppsQuery {
  readonly q: string | undefined;
  readonly filter: string | undefined;
  readonly expand: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

type ListPorts = Pick<AppRoutesPorts, 'db' | 'cursors' | 'assignments' | 'appPolicies' | 'orgKeys'>;

function pageSize(limit: number): number {
  if (limit === WHOLE_PAGE) return MAXIMUM_PAGE_SIZE;
  if (limit === 0) throw outOfRange('limit', 1, MAXIMUM_PAGE_SIZE);
  return limit;
}

interface Assignee {
  readonly field: string;
  readonly id: string;
}

function assigneesIn(filter: CheckedExpression | null): readonly Assignee[] {
  if (filter === null) return [];
  if (filter.op === 'not') return assigneesIn(filter.operand);
  if (filter.op === 'and' || filter.op === 'or') return filter.operands.flatMap(assigneesIn);
  if (filter.op === 'pr' || assigneeOf(filter.field.name, filter.value) === null) return [];
  return [{ field: filter.field.name, id: String(filter.value) }];
}

async function findAssigned({ assignments, db }: ListPorts, { orgId }: Context, named: readonly Assignee[]) {
  if (named.length > MAXIMUM_ASSIGNEES) {
    throw tooMany('filter', MAXIMUM_ASSIGNEES, 'users and groups');
  }
  const found = await Promise.all(
    named.map(async ({ field, id }) => {
      const isUser = field === 'user.id';
      const ids = isUser ? assignments.appIdsOfUser(db, orgId, id) : assignments.appIdsOfGroup(db, orgId, id);
      return [assigneeOf(field, id) ?? '', await ids] as const;
    }),
  );
  return new Map(found);
}

const EXPANDED = /^user\/([^/]+)$/;

function expandedUser(expand: string | undefined, named: readonly Assignee[]): string | null {
  const userId = EXPANDED.exec(expand ?? '')?.[1];
  if (userId === undefined) return null;
  if (named.some(({ field, id }) => field === 'user.id' && id === userId)) return userId;
  throw invalid('expand', 'requires the filter user.id eq "{userId}" for user/{userId}.');
}

export async function embedUser(
  { assignments, db }: Pick<AppRoutesPorts, 'assignments' | 'db'>,
  context: Context,
  apps: readonly ShownApp[],
  userId: string | null,
): Promise<ShownApp[]> {
  if (userId === null) return [...apps];
  const ids = apps.map(({ app }) => app.id);
  const users = await assignments.appUsersOf(db, context, userId, ids);
  return apps.map((shown) => {
    const user = users.get(shown.app.id);
    return user === undefined ? shown : { ...shown, embedded: { user } };
  });
}

export async function listApps(
  ports: ListPorts,
  context: Context,
  grant: Grant,
  query: ListAppsQuery,
  rawQuery: readonly (readonly [string, string])[],
): Promise<KeysetPage<ShownApp>> {
  const { after, before } = query;
  const { orgId } = context;
  const filter = query.filter === undefined ? null : readFilter(query.filter, APP_FIELDS);
  const limit = pageSize(query.limit);
  const named = assigneesIn(filter);
  const userId = expandedUser(query.expand, named);
  const [orgKey] = filter === null ? [] : await ports.orgKeys.published(ports.db, context);
  const assigned = await findAssigned(ports, context, named);
  const wanted = { q: query.q ?? null, filter, assigned, orgKid: orgKey?.kid ?? null };
  const { rows, links } = await keysetPage(
    ports.cursors,
    { orgId, list: 'listApplications', limit, after, before, query: rawQuery, cursorRefusal: 'E0000029' },
    (app: App) => app.id,
    (request) => readApps(ports.db, orgId, grant, wanted, request),
  );
  return { rows: await embedUser(ports, context, await showApps(ports, ports.db, context, rows), userId), links };
}
