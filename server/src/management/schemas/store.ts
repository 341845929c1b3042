import type { OrgId } from '../../kernel/ids.ts';
import { type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import type { NullableAttribute, RequiredOverrides } from './rules.ts';

/** A user type and its schema: one row, since neither is without the other. */
export interface UserType {
  readonly id: string;
  readonly schemaId: string;
  readonly name: string;
  readonly displayName: string;
  readonly description: string | null;
  readonly isDefault: boolean;
  readonly overrides: RequiredOverrides;
  readonly schemaVersion: number;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly lastUpdatedAt: Date;
  readonly lastUpdatedBy: string;
}

/** An org has at most ten user types (contract: createUserType). */
const MAXIMUM_USER_TYPES = 10;

/** Columns in the spelling of UserType, so that a row needs no mapping. */
const COLUMNS = `id, schema_id as "schemaId", name, display_name as "displayName", description,
  is_default as "isDefault", base_overrides as overrides, schema_version as "schemaVersion",
  created_at as "createdAt", created_by as "createdBy", last_updated_at as "lastUpdatedAt",
  last_updated_by as "lastUpdatedBy"`;

/** Null: the default type. */
export async function findUserType(db: Db, orgId: OrgId, id: string | null): Promise<UserType | undefined> {
  const [row] =
    id === null
      ? await prepared<UserType>(
          db,
          'user_type_default',
          `select ${COLUMNS} from user_types where org_id = $1 and is_default`,
          [orgId],
        )
      : await prepared<UserType>(
          db,
          'user_type_by_id',
          `select ${COLUMNS} from user_types where org_id = $1 and id = $2`,
          [orgId, id],
        );
  return row;
}

export async function findUserTypeBySchema(db: Db, orgId: OrgId, schemaId: string): Promise<UserType | undefined> {
  const text = `select ${COLUMNS} from user_types where org_id = $1 and schema_id = $2`;
  const [row] = await prepared<UserType>(db, 'user_type_by_schema', text, [orgId, schemaId]);
  return row;
}

/** The default type first. */
export const readUserTypes = (db: Db, orgId: OrgId): Promise<UserType[]> =>
  run<UserType>(
    db,
    `select ${COLUMNS} from user_types where org_id = $1 order by is_default desc, id limit ${MAXIMUM_USER_TYPES}`,
    [orgId],
  );

export async function insertUserType(tx: Tx, orgId: OrgId, type: UserType): Promise<void> {
  const text = `insert into user_types (org_id, id, schema_id, name, display_name, description, is_default,
      base_overrides, schema_version, created_at, created_by, last_updated_at, last_updated_by)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`;
  await prepared(tx, 'user_type_insert', text, [
    orgId,
    type.id,
    type.schemaId,
    type.name,
    type.displayName,
    type.description,
    type.isDefault,
    JSON.stringify(type.overrides),
    type.schemaVersion,
    type.createdAt,
    type.createdBy,
    type.lastUpdatedAt,
    type.lastUpdatedBy,
  ]);
}

export async function updateUserType(tx: Tx, orgId: OrgId, type: UserType): Promise<void> {
  const text = `update user_types
    set base_overrides = $3, schema_version = $4, last_updated_at = $5, last_updated_by = $6
    where org_id = $1 and id = $2`;
  await prepared(tx, 'user_type_update', text, [
    orgId,
    type.id,
    JSON.stringify(type.overrides),
    type.schemaVersion,
    type.lastUpdatedAt,
    type.lastUpdatedBy,
  ]);
}

const lockStatement = (lock: string): string =>
  `select ${lock}(hashtextextended('schema:' || org_id || ':' || schema_id, 0)) from user_types
    where org_id = $1 and (id = $2 or ($2::text is null and is_default))`;

/** Held by writers of profiles until their transaction ends: they don't exclude one another. Null: the default type. */
export async function lockSchemaShared(tx: Tx, orgId: OrgId, typeId: string | null): Promise<void> {
  await prepared(tx, 'schema_lock_shared', lockStatement('pg_advisory_xact_lock_shared'), [orgId, typeId]);
}

/** Held by a change of the schema until its transaction ends: no profile is written meanwhile. */
export async function lockSchemaExclusively(tx: Tx, orgId: OrgId, typeId: string): Promise<void> {
  await prepared(tx, 'schema_lock_exclusive', lockStatement('pg_advisory_xact_lock'), [orgId, typeId]);
}

const LACKING: Readonly<Record<NullableAttribute, string>> = {
  firstName: `coalesce(profile ->> 'firstName', '') = ''`,
  lastName: `coalesce(profile ->> 'lastName', '') = ''`,
};

/**
 * Whether a stored profile would break a rule that is about to hold: reads the users, which only their slice writes.
 */
export async function existsUserLacking(
  tx: Tx,
  orgId: OrgId,
  typeId: string,
  attribute: NullableAttribute,
): Promise<boolean> {
  const text = `select 1 from users where org_id = $1 and type_id = $2 and ${LACKING[attribute]} limit 1`;
  return (await run(tx, text, [orgId, typeId])).length > 0;
}
