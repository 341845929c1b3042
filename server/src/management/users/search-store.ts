import { type RawBuilder, sql } from 'kysely';
import { type CheckedExpression, type CheckedLeaf, columnLeaf, escapeLike, toSql } from '../../filter/index.ts';
import type { OrgId } from '../../kernel/ids.ts';
import type { Grant } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { type Driver, isPoint, type KeyRange, rangeOf } from './search-plan.ts';
import { USER_COLUMNS } from './store.ts';
import type { UserRow } from './user-row.ts';

/** Where a page starts, exclusive, in the order of its walk; `key` is null in id order. */
export interface Place {
  readonly key: string | null;
  readonly id: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly after: Place | null;
  /** Walks from high to low. */
  readonly descending: boolean;
  /** Reads towards the list's beginning: users without a sort key, who come last in either order, are met first. */
  readonly backwards: boolean;
}

/** A user with the key by which the walk was ordered. */
export type WalkedUser = UserRow & { readonly walkKey: string | null };

/** Probing stops here: beyond it a driver is "many", and which of two many is better no longer matters. */
export const PROBE_LIMIT = 1_001;
/** The same where the alternative to sorting the matches is to read the whole org in the order wanted. */
export const SORT_PROBE_LIMIT = 5_001;

const condition = (keyRange: KeyRange, alias: string): RawBuilder<boolean> => {
  const key = sql.ref(`${alias}.value_key`);
  const parts = [sql<boolean>`${sql.ref(`${alias}.attribute_id`)} = ${keyRange.attributeId}`];
  if (keyRange.from !== null) {
    parts.push(keyRange.fromInclusive ? sql`${key} >= ${keyRange.from}` : sql`${key} > ${keyRange.from}`);
  }
  if (keyRange.to !== null) {
    parts.push(keyRange.toInclusive ? sql`${key} <= ${keyRange.to}` : sql`${key} < ${keyRange.to}`);
  }
  return sql<boolean>`${sql.join(parts, sql` and `)}`;
};

/** How many index rows a driver has, up to `limit`. */
export async function probe(db: Db, orgId: OrgId, driver: Driver, limit: number): Promise<number> {
  let total = 0;
  for (const keyRange of driver.ranges) {
    const { rows } = await sql<{ total: number }>`select count(*)::integer as total from (
      select 1 from user_attribute_values v where v.org_id = ${orgId} and ${condition(keyRange, 'v')}
      limit ${limit}) probed`.execute(db);
    total += rows[0]?.total ?? 0;
    if (total >= limit) return limit;
  }
  return total;
}

/** Columns of their own: those that `co` and `filter` compare as they are stored. */
const STORED_TEXTS: Readonly<Record<string, string>> = {
  'profile.login': 'u.login',
  'profile.email': 'u.email',
  'profile.firstName': 'u.first_name',
  'profile.lastName': 'u.last_name',
};

function storedText(name: string): RawBuilder<unknown> {
  const column = STORED_TEXTS[name];
  if (column === undefined) throw new Error(`no column holds ${name} as it is stored`);
  return sql.ref(column);
}

/** One leaf as a probe of the index for the user at hand. */
function leafSql(orgId: OrgId): (leaf: CheckedLeaf) => RawBuilder<boolean> {
  return (leaf) => {
    if (leaf.field.name === 'id') return columnLeaf(leaf, { value: sql`u.id` });
    if (leaf.op === 'co') {
      return sql<boolean>`${storedText(leaf.field.name)} like ${`%${escapeLike(leaf.value)}%`}`;
    }
    const keyRange = rangeOf(leaf);
    if (keyRange === null) throw new Error(`no index serves ${leaf.op} on ${leaf.field.name}`);
    return sql<boolean>`exists (select from user_attribute_values v
      where v.org_id = ${orgId} and v.user_id = u.id and ${condition(keyRange, 'v')}${exactly(leaf)})`;
  };
}

/** `filter` compares values as they are; the folded index only finds the candidates. */
function exactly(leaf: CheckedLeaf): RawBuilder<unknown> {
  if (leaf.op !== 'eq' || leaf.field.type !== 'string' || leaf.field.caseInsensitive !== undefined) return sql``;
  if (leaf.field.name === 'status') return sql` and u.status = ${leaf.value}`;
  return sql` and ${storedText(leaf.field.name)} = ${leaf.value}`;
}

/**
 * A condition that may be null where it does not hold, for a WHERE: what compares columns stays bare, so that indexes
 * serve it. Probes stay wrapped: the planner would turn them into joins over all values of an attribute.
 */
function whereSql(
  expression: CheckedExpression,
  leaf: (leaf: CheckedLeaf) => RawBuilder<boolean>,
): RawBuilder<boolean> {
  if (expression.op === 'and' || expression.op === 'or') {
    const operands = expression.operands.map((operand) => whereSql(operand, leaf));
    return sql<boolean>`(${sql.join(operands, expression.op === 'and' ? sql` and ` : sql` or `)})`;
  }
  const comparesColumns = expression.op !== 'not' && (expression.field.name === 'id' || expression.op === 'co');
  return comparesColumns ? leaf(expression) : toSql(expression, leaf);
}

export interface Scope {
  readonly orgId: OrgId;
  /** What the caller's roles let it see (design section 7): part of every list's WHERE. */
  readonly grant: Grant;
  readonly expression: CheckedExpression | null;
  readonly withDeprovisioned: boolean;
}

function scopeSql(scope: Scope): RawBuilder<boolean> {
  const parts = [sql<boolean>`u.org_id = ${scope.orgId}`];
  if (scope.grant.kind === 'ids') parts.push(sql`u.id = any(${scope.grant.ids})`);
  if (!scope.withDeprovisioned) parts.push(sql`u.status <> 'DEPROVISIONED'`);
  if (scope.expression !== null) parts.push(whereSql(scope.expression, leafSql(scope.orgId)));
  return sql<boolean>`${sql.join(parts, sql` and `)}`;
}

const COLUMNS = sql.raw(USER_COLUMNS);

const direction = (request: PageRequest) => sql.raw(request.descending ? 'desc' : 'asc');
const beyond = (request: PageRequest) => sql.raw(request.descending ? '<' : '>');

/** The volatile state is joined to the page alone: before its limit, the planner would merge whole tables. */
async function pageOf(
  db: Db,
  page: RawBuilder<unknown>,
  walkKey: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): Promise<WalkedUser[]> {
  const { rows } = await sql<WalkedUser>`select ${COLUMNS}, ${walkKey} as "walkKey" from (${page}) u
    left join user_sign_in s on s.org_id = u.org_id and s.user_id = u.id order by ${order}`.execute(db);
  return rows;
}

function idOrder(db: Db, request: PageRequest, where: RawBuilder<boolean>): Promise<WalkedUser[]> {
  const start = request.after === null ? sql`` : sql`and u.id ${beyond(request)} ${request.after.id}`;
  const order = sql`u.id ${direction(request)}`;
  const page = sql`select u.* from users u where ${where} ${start} order by ${order} limit ${request.limit}`;
  return pageOf(db, page, sql`null`, order);
}

/** Users in id order, by the primary key. */
export const walkById = (db: Db, scope: Scope, request: PageRequest): Promise<WalkedUser[]> =>
  idOrder(db, request, scopeSql(scope));

/** Users in the order of one index range; a user appears once, since single-valued attributes have one key. */
export function walkRange(db: Db, scope: Scope, keyRange: KeyRange, request: PageRequest): Promise<WalkedUser[]> {
  const place = request.after;
  const start =
    place === null ? sql`` : sql`and (d.value_key, d.user_id) ${beyond(request)} (${place.key ?? ''}, ${place.id})`;
  const page = sql`select u.*, d.value_key as walk_key
    from user_attribute_values d join users u on u.org_id = d.org_id and u.id = d.user_id
    where d.org_id = ${scope.orgId} and ${condition(keyRange, 'd')} ${start} and ${scopeSql(scope)}
    order by d.value_key ${direction(request)}, d.user_id ${direction(request)} limit ${request.limit}`;
  return pageOf(db, page, sql`u.walk_key`, sql`u.walk_key ${direction(request)}, u.id ${direction(request)}`);
}

/**
 * Users of several points, merged in id order: each point hands out its users by id, so each needs one page at most.
 */
export async function walkPoints(
  db: Db,
  scope: Scope,
  points: readonly KeyRange[],
  request: PageRequest,
): Promise<WalkedUser[]> {
  const start = request.after === null ? sql`` : sql`and v.user_id ${beyond(request)} ${request.after.id}`;
  const branches = points.map(
    (point) => sql`(select v.user_id as id from user_attribute_values v
      join users u on u.org_id = v.org_id and u.id = v.user_id
      where v.org_id = ${scope.orgId} and ${condition(point, 'v')} ${start} and ${scopeSql(scope)}
      order by v.user_id ${direction(request)} limit ${request.limit})`,
  );
  return usersOf(db, scope.orgId, branches, request);
}

async function usersOf(
  db: Db,
  orgId: OrgId,
  branches: readonly RawBuilder<unknown>[],
  request: PageRequest,
): Promise<WalkedUser[]> {
  const { rows } = await sql<WalkedUser>`select ${COLUMNS}, null as "walkKey"
    from (select f.id from (${sql.join(branches, sql` union `)}) f
      order by f.id ${direction(request)} limit ${request.limit}) d
    join users u on u.org_id = ${orgId} and u.id = d.id
    left join user_sign_in s on s.org_id = u.org_id and s.user_id = u.id
    order by u.id ${direction(request)}`.execute(db);
  return rows;
}

/** Users of whom any of the ranges has an entry, the first ones of each range; for `q`, which has no pages. */
export async function findByPrefix(
  db: Db,
  scope: Scope,
  ranges: readonly KeyRange[],
  limit: number,
): Promise<WalkedUser[]> {
  const branches = ranges.map(
    (keyRange) => sql`(select v.user_id as id from user_attribute_values v
      join users u on u.org_id = v.org_id and u.id = v.user_id
      where v.org_id = ${scope.orgId} and ${condition(keyRange, 'v')} and ${scopeSql(scope)}
      order by v.value_key, v.user_id limit ${limit})`,
  );
  return usersOf(db, scope.orgId, branches, { limit, after: null, descending: false, backwards: false });
}

/**
 * Few matches (fewer than SORT_PROBE_LIMIT): each looked up as the driver found it, then sorted. `offset 0` keeps the
 * planner from joining whole tables instead.
 */
export function sortFew(
  db: Db,
  scope: Scope,
  driver: Driver,
  sortAttributeId: number | null,
  request: PageRequest,
): Promise<WalkedUser[]> {
  const branches = driver.ranges.map(
    (keyRange) => sql`select v.user_id from user_attribute_values v
      where v.org_id = ${scope.orgId} and ${condition(keyRange, 'v')}`,
  );
  const place = request.after;
  const order = sql`u.absent ${sql.raw(request.backwards ? 'desc' : 'asc')}, u.key ${direction(request)},
    u.id ${direction(request)}`;
  const start =
    place === null
      ? sql`true`
      : sql`(u.absent ${sql.raw(request.backwards ? '<' : '>')} ${place.key === null}
          or (u.absent = ${place.key === null}
            and (u.key, u.id) ${beyond(request)} (${place.key ?? ''}, ${place.id})))`;
  const page = sql`select u.* from (
      select f.*, k.value_key is null as absent, coalesce(k.value_key, '') as key
      from (${sql.join(branches, sql` union `)}) d
      cross join lateral (select u.* from users u where u.id = d.user_id and ${scopeSql(scope)} offset 0) f
      left join lateral (select k.value_key from user_attribute_values k where k.org_id = ${scope.orgId}
        and k.user_id = f.id and k.attribute_id = ${sortAttributeId}::integer offset 0) k on true) u
    where ${start} order by ${order} limit ${request.limit}`;
  return pageOf(db, page, sql`case when u.absent then null else u.key end`, order);
}

/** Users without a value of an attribute, in id order: what a sorted walk ends with. */
export const walkAbsent = (db: Db, scope: Scope, attributeId: number, request: PageRequest): Promise<WalkedUser[]> =>
  idOrder(
    db,
    request,
    sql<boolean>`${scopeSql(scope)} and not exists (select from user_attribute_values k
      where k.org_id = u.org_id and k.user_id = u.id and k.attribute_id = ${attributeId})`,
  );

export const allPoints = (driver: Driver): boolean => driver.ranges.every(isPoint);
