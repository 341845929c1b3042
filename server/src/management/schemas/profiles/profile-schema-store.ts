import type { OrgId } from '../../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { CustomAttribute, LeavingAttribute } from '../attributes/attribute.ts';

/** The changes that an org made to the schema of groups, or of the users of an app or identity provider. */
export interface ProfileSchemaRow {
  readonly custom: readonly CustomAttribute[];
  readonly leaving: readonly LeavingAttribute[];
  readonly revision: number;
  readonly lastUpdatedAt: Date;
}

/** The owner id of the schema of groups. All other owner ids are ids of apps and identity providers. */
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

/** Finds the changes to an owner's schema. Returns undefined if the schema was never changed. */
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

/** Locks the schema of an owner in the same way as `lockSchemaShared` locks the schema of a user type. */
export async function lockProfileSchemaShared(tx: Tx, orgId: OrgId, ownerId: string): Promise<void> {
  await prepared(tx, 'profile_schema_shared', lockStatement('pg_advisory_xact_lock_shared'), [orgId, ownerId]);
}

/** Locks the schema of an owner in the same way as `lockSchemaExclusively` locks the schema of a user type. */
export async function lockProfileSchemaExclusively(tx: Tx, orgId: OrgId, ownerId: string): Promise<void> {
  await prepared(tx, 'profile_schema_exclusive', lockStatement('pg_advisory_xact_lock'), [orgId, ownerId]);
}
