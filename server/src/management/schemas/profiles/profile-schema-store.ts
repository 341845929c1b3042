import type { OrgId } from '../../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { CustomAttribute, LeavingAttribute } from '../attributes/attribute.ts';

/** The changes that an org made to a schema. */
export interface ProfileSchemaRow {
  readonly custom: readonly CustomAttribute[];
  readonly leaving: readonly LeavingAttribute[];
  readonly revision: number;
  readonly lastUpdatedAt: Date;
}

export const GROUP_OWNER = 'group';

const SCHEMAS = columns<ProfileSchemaRow, ProfileSchemaRow & { readonly ownerId: string }>('profile_schemas', {
  ownerId: { is: 'key', reads: null },
  custom: { is: 'json', name: 'custom_attributes' },
  leaving: { is: 'json', name: 'leaving_attributes' },
  revision: { is: 'changes', name: 'version' },
  lastUpdatedAt: 'changes',
});
const COLUMNS = SCHEMAS.select();
const STORE = SCHEMAS.upsert();

/** Returns undefined if the schema was never changed. */
export async function findProfileSchema(db: Db, orgId: OrgId, ownerId: string): Promise<ProfileSchemaRow | undefined> {
  const text = `select ${COLUMNS} from profile_schemas where org_id = $1 and owner_id = $2`;
  const [row] = await prepared<ProfileSchemaRow>(db, 'profile_schema_by_owner', text, [orgId, ownerId]);
  return row;
}

export async function storeProfileSchema(tx: Tx, orgId: OrgId, ownerId: string, row: ProfileSchemaRow): Promise<void> {
  await prepared(tx, 'profile_schema_store', STORE.text, STORE.values(orgId, { ...row, ownerId }));
}

export async function removeProfileSchema(tx: Tx, orgId: OrgId, ownerId: string): Promise<void> {
  const text = 'delete from profile_schemas where org_id = $1 and owner_id = $2';
  await prepared(tx, 'profile_schema_delete', text, [orgId, ownerId]);
}

const lockStatement = (lock: string): string => `select ${lock}(hashtextextended('schema:' || $1 || ':' || $2, 0))`;

/** Locks the schema of an owner that is not a user type, in the same way as `lockSchemaShared`. */
export async function lockProfileSchemaShared(tx: Tx, orgId: OrgId, ownerId: string): Promise<void> {
  await prepared(tx, 'profile_schema_shared', lockStatement('pg_advisory_xact_lock_shared'), [orgId, ownerId]);
}

/** Locks the schema of an owner that is not a user type, in the same way as `lockSchemaExclusively`. */
export async function lockProfileSchemaExclusively(tx: Tx, orgId: OrgId, ownerId: string): Promise<void> {
  await prepared(tx, 'profile_schema_exclusive', lockStatement('pg_advisory_xact_lock'), [orgId, ownerId]);
}
