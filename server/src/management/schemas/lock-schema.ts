import type { OrgId } from '../../kernel/ids.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { type ProfileSchema, profileSchema } from './base-profile.ts';
import { findUserType, lockSchemaShared } from './store.ts';

export interface LockedSchema {
  readonly typeId: string;
  readonly schemaId: string;
  readonly schema: ProfileSchema;
}

/**
 * The schema that a profile is about to be written by, which can't change until the transaction ends. `typeId` null: of
 * the default type. Null: the org has no such type.
 */
export async function lockSchemaForWrite(tx: Tx, orgId: OrgId, typeId: string | null): Promise<LockedSchema | null> {
  // Sent together, run in turn: the second statement sees what the lock was waited for.
  const [, type] = await Promise.all([lockSchemaShared(tx, orgId, typeId), findUserType(tx, orgId, typeId)]);
  if (type === undefined) return null;
  return { typeId: type.id, schemaId: type.schemaId, schema: profileSchema(type.overrides) };
}
