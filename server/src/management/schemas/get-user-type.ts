import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors.ts';
import type { OrgId } from '../../kernel/ids.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { findUserType, findUserTypeBySchema, readUserTypes, type UserType } from './store.ts';

const DEFAULT = 'default';

/** A user type by its id or `default`. 404 E0000007. */
export async function getUserType(db: Db, context: Context, typeId: string): Promise<UserType> {
  const type = await findUserType(db, context.orgId, typeId === DEFAULT ? null : typeId);
  if (type === undefined) throw notFound(typeId, 'UserType');
  return type;
}

/** The type to which a schema belongs, by the schema's id or `default`. 404 E0000007. */
export async function getUserSchema(db: Db, context: Context, schemaId: string): Promise<UserType> {
  const type =
    schemaId === DEFAULT
      ? await findUserType(db, context.orgId, null)
      : await findUserTypeBySchema(db, context.orgId, schemaId);
  if (type === undefined) throw notFound(schemaId, 'UserSchema');
  return type;
}

/** Every user type of the org, the default one first; there are ten at most. */
export const listUserTypes = (db: Db, context: Context): Promise<UserType[]> => readUserTypes(db, context.orgId);

/** The schema id of a user type, for links; null when the org has no such type. */
export const findSchemaId = async (db: Db, orgId: OrgId, typeId: string): Promise<string | null> =>
  (await findUserType(db, orgId, typeId))?.schemaId ?? null;
