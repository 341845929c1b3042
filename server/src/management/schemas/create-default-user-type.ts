import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import { newId, orgSuffixOf } from '../../kernel/ids.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { insertUserType } from './store.ts';

/** Gives an org the user type, and with it the schema, that it can't be without. Runs when the org is created. */
export async function createDefaultUserType(tx: Tx, context: Context): Promise<void> {
  const suffix = orgSuffixOf(context.orgId);
  const now = wholeSecond(context.now);
  await insertUserType(tx, context.orgId, {
    id: newId('userType', suffix),
    schemaId: newId('schema', suffix),
    name: 'user',
    displayName: 'User',
    description: 'The profile of users, with default permissions',
    isDefault: true,
    overrides: {},
    schemaVersion: 1,
    createdAt: now,
    createdBy: context.actor.id,
    lastUpdatedAt: now,
    lastUpdatedBy: context.actor.id,
  });
}
