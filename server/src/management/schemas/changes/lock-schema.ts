import type { OrgId } from '../../../kernel/words/ids.ts';
import { type Db, isShared, needOwnTransaction, type Tx, together } from '../../../platform/postgres/index.ts';
import { type ProfileSchema, schemaWith } from '../attributes/attribute.ts';
import { profileSchema } from '../attributes/base-profile.ts';
import { type AppFacts, appUserAttributes } from '../profiles/app-user-profile.ts';
import { GROUP_PROFILE_ATTRIBUTES } from '../profiles/group-profile.ts';
import { findProfileSchema, GROUP_OWNER, lockProfileSchemaShared } from '../profiles/profile-schema-store.ts';
import {
  findUserType,
  lockSchemaShared,
  lockTypesOfUsers,
  readUserTypes,
  tryLockSchemaShared,
  type UserType,
} from '../store.ts';

export interface LockedSchema {
  readonly typeId: string;
  readonly schemaId: string;
  readonly schema: ProfileSchema;
}

export const userSchemaOf = ({ custom, overrides }: Pick<UserType, 'custom' | 'overrides'>): ProfileSchema =>
  schemaWith(profileSchema(overrides), custom);

const typedSchema = (type: UserType | undefined): LockedSchema | null =>
  type === undefined ? null : { typeId: type.id, schemaId: type.schemaId, schema: userSchemaOf(type) };

/** A null `typeId` means the default type. Returns null for an unknown type. */
export async function lockSchemaForWrite(tx: Tx, orgId: OrgId, typeId: string | null): Promise<LockedSchema | null> {
  if (isShared(tx)) {
    const schema = await together(tx, `schema of type ${typeId ?? ''}`, typeId, async (all) => {
      const { isLocked, type } = await tryLockSchemaShared(all, orgId, typeId);
      return isLocked ? typedSchema(type) : null;
    });
    // Either another transaction holds the lock, or the type is unknown.
    if (schema === null) needOwnTransaction(tx);
    return schema;
  }
  // The second statement sees what was committed while the first one waited for the lock.
  const [, type] = await Promise.all([lockSchemaShared(tx, orgId, typeId), findUserType(tx, orgId, typeId)]);
  return typedSchema(type);
}

/** Needs the lock on the user's row. Returns null for an unknown user. */
export async function lockSchemaOfUser(tx: Tx, orgId: OrgId, userId: string): Promise<LockedSchema | null> {
  const schemas = await together(tx, 'schemas of users', userId, async (all, userIds) => {
    const types = await lockTypesOfUsers(all, orgId, userIds, !isShared(tx));
    return new Map(types.flatMap((type) => type.userIds.map((id) => [id, typedSchema(type)] as const)));
  });
  const schema = schemas.get(userId);
  if (schema === undefined) needOwnTransaction(tx);
  return schema ?? null;
}

/** The schema of the default type comes first. */
export async function readUserSchemas(db: Db, orgId: OrgId): Promise<readonly LockedSchema[]> {
  const types = await readUserTypes(db, orgId);
  return types.flatMap((type) => typedSchema(type) ?? []);
}

async function ownedSchema(db: Db, orgId: OrgId, ownerId: string, base: ProfileSchema): Promise<ProfileSchema> {
  const row = await findProfileSchema(db, orgId, ownerId);
  return row === undefined || row.custom.length === 0 ? base : schemaWith(base, row.custom);
}

export const readGroupSchema = (db: Db, orgId: OrgId): Promise<ProfileSchema> =>
  ownedSchema(db, orgId, GROUP_OWNER, GROUP_PROFILE_ATTRIBUTES);

export async function lockGroupSchemaForWrite(tx: Tx, orgId: OrgId): Promise<ProfileSchema> {
  const [, schema] = await Promise.all([lockProfileSchemaShared(tx, orgId, GROUP_OWNER), readGroupSchema(tx, orgId)]);
  return schema;
}

export const readAppUserSchema = (db: Db, orgId: OrgId, app: Pick<AppFacts, 'id' | 'kind'>): Promise<ProfileSchema> =>
  ownedSchema(db, orgId, app.id, appUserAttributes(app.kind));

export async function lockAppUserSchemaForWrite(
  tx: Tx,
  orgId: OrgId,
  app: Pick<AppFacts, 'id' | 'kind'>,
): Promise<ProfileSchema> {
  const [, schema] = await Promise.all([lockProfileSchemaShared(tx, orgId, app.id), readAppUserSchema(tx, orgId, app)]);
  return schema;
}
