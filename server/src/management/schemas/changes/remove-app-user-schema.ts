import type { Context } from '../../../kernel/context.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { NewEvent } from '../../../system-log/index.ts';
import { lockProfileSchemaExclusively, removeProfileSchema } from '../profiles/profile-schema-store.ts';

export async function removeAppUserSchema(tx: Tx, { orgId }: Context, { target }: NewEvent): Promise<void> {
  const [app] = target ?? [];
  if (app === undefined) return;
  // This call waits until a concurrent change to the schema has ended.
  await lockProfileSchemaExclusively(tx, orgId, app.id);
  await removeProfileSchema(tx, orgId, app.id);
}
