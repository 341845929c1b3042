import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { boundedCache } from '../../../platform/caches/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { findUserType, readUserTypes, type UserType } from '../store.ts';

const DEFAULT = 'default';

export async function getUserType(db: Db, context: Context, typeId: string): Promise<UserType> {
  const type = await findUserType(db, context.orgId, typeId === DEFAULT ? null : typeId);
  if (type === undefined) throw notFound(typeId, 'UserType');
  return type;
}

export const listUserTypes = (db: Db, context: Context): Promise<UserType[]> => readUserTypes(db, context.orgId);

const MAXIMUM_REMEMBERED_TYPES = 20_000;

/**
 * The reader returns null for an unknown type. Cached entries stay valid, because the schema id of a type never changes
 * and ids are never reused.
 */
export function createSchemaIdReader(): (db: Db, orgId: OrgId, typeId: string) => Promise<string | null> {
  const known = boundedCache<string, string>(MAXIMUM_REMEMBERED_TYPES);
  return async (db, orgId, typeId) => {
    const name = `${orgId} ${typeId}`;
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    const schemaId = (await findUserType(db, orgId, typeId))?.schemaId;
    if (schemaId !== undefined) known.set(name, schemaId);
    return schemaId ?? null;
  };
}
