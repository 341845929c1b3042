import { type ApiError, type ErrorCause, invalidObject } from '../../../kernel/errors/errors.ts';
import { TAKEN } from '../../../kernel/errors/problems.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { needOwnTransaction, prepared, type Tx } from '../../../platform/postgres/index.ts';
import { type AttributeRow, changedRows } from '../../../search/index.ts';
import { type ProfileSchema, uniqueAttributeRows } from '../../schemas/index.ts';
import type { UserRow } from '../records/user-row.ts';
import type { ChangedSchemas } from './attribute-values.ts';

type Profiled = Pick<UserRow, 'id' | 'profile'>;

export const hasUnique = (schema: ProfileSchema): boolean => [...schema.values()].some(({ unique }) => unique === true);

function takenError(schema: ProfileSchema, attributeIds: ReadonlySet<number>): ApiError {
  const names = [...schema].flatMap(([name, { attributeId }]) =>
    attributeId !== undefined && attributeIds.has(attributeId) ? [name] : [],
  );
  const causes = names.map(
    (name): ErrorCause => ({
      errorSummary: `${name}: ${TAKEN}`,
    }),
  );
  return invalidObject(names.length === 1 ? (names[0] ?? 'profile') : 'profile', causes);
}

interface Claim extends AttributeRow {
  readonly userId: string;
}

/** Sorts claims, so that transactions that claim the same values take them in the same order and cannot deadlock. */
const ordered = (claims: readonly Claim[]): Claim[] =>
  claims.toSorted((one, other) => one.attributeId - other.attributeId || (one.valueKey < other.valueKey ? -1 : 1));

/**
 * Claims values, and returns the claims that failed because another user has the value or claims it in the same call.
 * Waits for transactions that are claiming one of the values, and so needs a transaction of its own.
 */
async function claim(tx: Tx, orgId: OrgId, claims: readonly Claim[]): Promise<readonly Claim[]> {
  if (claims.length === 0) return [];
  needOwnTransaction(tx);
  const text = `insert into user_unique_values (org_id, attribute_id, value_key, user_id)
    select $1, a.attribute_id, a.value_key, a.user_id
    from unnest($2::integer[], $3::text[], $4::text[]) with ordinality as a (attribute_id, value_key, user_id, place)
    order by a.place
    on conflict (org_id, attribute_id, value_key) do nothing
    returning attribute_id as "attributeId", user_id as "userId"`;
  const rows = ordered(claims);
  const claimed = await prepared<{ attributeId: number; userId: string }>(tx, 'user_unique_values_claim', text, [
    orgId,
    rows.map(({ attributeId }) => attributeId),
    rows.map(({ valueKey }) => valueKey),
    rows.map(({ userId }) => userId),
  ]);
  const mine = new Set(claimed.map(({ attributeId, userId }) => `${attributeId} ${userId}`));
  return rows.filter(({ attributeId, userId }) => !mine.has(`${attributeId} ${userId}`));
}

async function release(tx: Tx, orgId: OrgId, userId: string, rows: readonly AttributeRow[]): Promise<void> {
  const text = `delete from user_unique_values q using unnest($3::integer[], $4::text[]) as a (attribute_id, value_key)
    where q.org_id = $1 and q.user_id = $2 and q.attribute_id = a.attribute_id and q.value_key = a.value_key`;
  await prepared(tx, 'user_unique_values_release', text, [
    orgId,
    userId,
    rows.map(({ attributeId }) => attributeId),
    rows.map(({ valueKey }) => valueKey),
  ]);
}

export async function releaseUniqueValues(tx: Tx, orgId: OrgId, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  const text = 'delete from user_unique_values where org_id = $1 and user_id = any($2::text[])';
  await prepared(tx, 'user_unique_values_release_all', text, [orgId, userIds]);
}

type Created = Profiled & { readonly schema: ProfileSchema };

/** Returns, by user id, an error for each user whose claim failed. */
export async function claimAllUniqueValues(
  tx: Tx,
  orgId: OrgId,
  users: readonly Created[],
): Promise<ReadonlyMap<string, ApiError>> {
  const concerned = users.filter(({ schema }) => hasUnique(schema));
  const claims = concerned.flatMap(({ id, profile, schema }) =>
    uniqueAttributeRows(schema, profile).map((row): Claim => ({ ...row, userId: id })),
  );
  const failed = await claim(tx, orgId, claims);
  return new Map(
    concerned.flatMap(({ id, schema }) => {
      const taken = failed.flatMap(({ attributeId, userId }) => (userId === id ? [attributeId] : []));
      return taken.length === 0 ? [] : [[id, takenError(schema, new Set(taken))] as const];
    }),
  );
}

export async function claimUniqueValues(tx: Tx, orgId: OrgId, user: Created): Promise<void> {
  const refused = (await claimAllUniqueValues(tx, orgId, [user])).get(user.id);
  if (refused !== undefined) throw refused;
}

/** Claims the values that a change adds and releases those that it removes. */
export async function moveUniqueValues(
  tx: Tx,
  orgId: OrgId,
  [before, after]: readonly [Profiled, Profiled],
  schemas: ChangedSchemas,
): Promise<void> {
  if (!hasUnique(schemas.before) && !hasUnique(schemas.after)) return;
  const { added, removed } = changedRows(
    uniqueAttributeRows(schemas.before, before.profile),
    uniqueAttributeRows(schemas.after, after.profile),
  );
  const failed = await claim(
    tx,
    orgId,
    added.map((row) => ({ ...row, userId: after.id })),
  );
  const taken = new Set(failed.map(({ attributeId }) => attributeId));
  // An import continues after a refusal, so the values that were just claimed are released again.
  const released = taken.size === 0 ? removed : added.filter(({ attributeId }) => !taken.has(attributeId));
  if (released.length > 0) await release(tx, orgId, after.id, released);
  if (taken.size > 0) throw takenError(schemas.after, taken);
}
