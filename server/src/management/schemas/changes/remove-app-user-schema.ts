import type { Context } from '../../../kernel/context.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { NewEvent } from '../../../system-log/index.ts';
import { lockProfileSchemaExclusively, removeProfileSchema } from '../profiles/profile-schema-store.ts';

/** The schema of an app's or identity provider's users goes with it. */
export async function removeAppUserSchema(tx: Tx, { orgId }: Context, { target }: NewEvent): Promise<void> {
  const [app] = target ?? [];
  if (app === undefined) return;
  // A change of the schema that came first is waited for; one that comes later finds no app.
  await lockProfileSchemaExclusively(tx, orgId, app.id);
  await removeProfileSchema(tx, orgId, app.id);
}
