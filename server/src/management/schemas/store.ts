import type { OrgId } from '../../kernel/words/ids.ts';
import { columns, type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import type { CustomAttribute, LeavingAttribute } from './attributes/attribute.ts';
import type { BaseOverrides } from './attributes/base-profile.ts';

export interface UserType {
  readonly id: string;
  readonly schemaId: string;
  readonly name: string;
  readonly displayName: string;
  readonly description: string | null;
  readonly isDefault: boolean;
  readonly overrides: BaseOverrides;
  readonly custom: readonly CustomAttribute[];
  readonly leaving: readonly LeavingAttribute[];
  /** Every change to the type or its schema raises the revision. The later removal of values does not. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly lastUpdatedAt: Date;
  readonly lastUpdatedBy: string;
}

/** The maximum number of user types of an org (contract: createUserType). */
export const MAXIMUM_USER_TYPES = 10;

const TYPES = columns<UserType>('user_types', {
  id: 'key',
  schemaId: 'fixed',
  name: 'fixed',
  displayName: 'changes',
  description: 'changes',
  isDefault: 'fixed',
  overrides: { is: 'json', name: 'base_overrides' },
  custom: { is: 'json', name: 'custom_attributes' },
  leaving: { is: 'json', name: 'leaving_attributes' },
  revision: { is: 'changes', name: 'schema_version' },
  createdAt: 'fixed',
  createdBy: 'fixed',
  lastUpdatedAt: 'changes',
  lastUpdatedBy: 'changes',
});
const COLUMNS = TYPES.select();
const INSERT = TYPES.insert();
const UPDATE = TYPES.update();

/** A null id means the default type. */
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

export const readUserTypes = (db: Db, orgId: OrgId): Promise<UserType[]> =>
  run<UserType>(
    db,
    `select ${COLUMNS} from user_types where org_id = $1 order by is_default desc, id limit ${MAXIMUM_USER_TYPES}`,
    [orgId],
  );

/**
 * Locks and reads the user types of the org, so that concurrent changes cannot assign an attribute number twice. Users
 * can still be created, because `for no key update` does not block the check of their foreign key.
 */
export async function lockUserTypes(tx: Tx, orgId: OrgId): Promise<UserType[]> {
  const lock = 'select 1 from user_types where org_id = $1 and is_default for no key update';
  // The second statement sees types that were committed while the first waited for the lock.
  const [, types] = await Promise.all([prepared(tx, 'user_types_lock', lock, [orgId]), readUserTypes(tx, orgId)]);
  return types;
}

/** No user type of the org is added, changed or deleted until the transaction ends. */
export async function lockUserTypesForShare(tx: Tx, orgId: OrgId): Promise<UserType[]> {
  const lock = 'select 1 from user_types where org_id = $1 and is_default for share';
  const [, types] = await Promise.all([prepared(tx, 'user_types_hold', lock, [orgId]), readUserTypes(tx, orgId)]);
  return types;
}

export async function insertUserType(tx: Tx, orgId: OrgId, type: UserType): Promise<void> {
  await prepared(tx, 'user_type_insert', INSERT.text, INSERT.values(orgId, type));
}

export async function updateUserType(tx: Tx, orgId: OrgId, type: UserType): Promise<void> {
  await prepared(tx, 'user_type_update', UPDATE.text, UPDATE.values(orgId, type));
}

export async function removeUserType(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await prepared(tx, 'user_type_delete', 'delete from user_types where org_id = $1 and id = $2', [orgId, id]);
}

export async function existsUserOfType(tx: Tx, orgId: OrgId, typeId: string): Promise<boolean> {
  const text = 'select 1 from users where org_id = $1 and type_id = $2 limit 1';
  return (await run(tx, text, [orgId, typeId])).length > 0;
}

const lockStatement = (lock: string, name = ''): string =>
  `select ${lock}(hashtextextended('schema:' || org_id || ':' || schema_id, 0))${name} from user_types
    where org_id = $1 and (id = $2 or ($2::text is null and is_default))`;

/** Takes the lock that writers of profiles share, until the transaction ends. A null id means the default type. */
export async function lockSchemaShared(tx: Tx, orgId: OrgId, typeId: string | null): Promise<void> {
  await prepared(tx, 'schema_lock_shared', lockStatement('pg_advisory_xact_lock_shared'), [orgId, typeId]);
}

/**
 * Tries to take the lock that writers of profiles share, without waiting for it, and reads the type. A null id means
 * the default type.
 */
export async function tryLockSchemaShared(
  tx: Tx,
  orgId: OrgId,
  typeId: string | null,
): Promise<{ readonly isLocked: boolean; readonly type: UserType | undefined }> {
  const text = lockStatement('pg_try_advisory_xact_lock_shared', ' as "isLocked"');
  const [[row], type] = await Promise.all([
    prepared<{ isLocked: boolean }>(tx, 'schema_try_lock_shared', text, [orgId, typeId]),
    findUserType(tx, orgId, typeId),
  ]);
  return { isLocked: row?.isLocked === true, type };
}

/** A user type, with the ids of the requested users who have it. */
export interface TypeOfUsers extends UserType {
  readonly userIds: readonly string[];
}

const TYPES_OF_USERS = `from user_types t where t.org_id = $1
  and t.id in (select u.type_id from users u where u.org_id = $1 and u.id = any($2::text[]))`;

const schemaLocks = (lock: string): string =>
  `select t.id, ${lock}(hashtextextended('schema:' || t.org_id || ':' || t.schema_id, 0)) as locked ${TYPES_OF_USERS}`;

/**
 * Reads the types of users whose rows are locked, after taking the locks that writers of profiles share. The second
 * statement sees what was committed while the first one waited. If `mayWait` is false, the result lacks types whose
 * lock is not free.
 */
export async function lockTypesOfUsers(
  tx: Tx,
  orgId: OrgId,
  userIds: readonly string[],
  mayWait: boolean,
): Promise<TypeOfUsers[]> {
  const read = `select ${TYPES.select('t')}, array(select u.id from users u
      where u.org_id = $1 and u.id = any($2::text[]) and u.type_id = t.id) as "userIds" ${TYPES_OF_USERS}`;
  const lock = mayWait ? 'pg_advisory_xact_lock_shared' : 'pg_try_advisory_xact_lock_shared';
  const name = mayWait ? 'schema_lock_of_users' : 'schema_try_lock_of_users';
  const [locks, types] = await Promise.all([
    prepared<{ id: string; locked: unknown }>(tx, name, schemaLocks(lock), [orgId, userIds]),
    prepared<TypeOfUsers>(tx, 'user_types_of_users', read, [orgId, userIds]),
  ]);
  // `pg_advisory_xact_lock_shared` returns no value.
  const held = new Set(locks.flatMap(({ id, locked }) => (locked === false ? [] : [id])));
  return types.filter(({ id }) => held.has(id));
}

/** Takes the lock exclusively, so that callers of `lockSchemaShared` wait until the transaction ends. */
export async function lockSchemaExclusively(tx: Tx, orgId: OrgId, typeId: string): Promise<void> {
  await prepared(tx, 'schema_lock_exclusive', lockStatement('pg_advisory_xact_lock'), [orgId, typeId]);
}
