import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/texts/dates.ts';
import { newId, orgSuffixOf } from '../../kernel/words/ids.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { NewEvent } from '../../system-log/index.ts';
import { type AppFacts, lockUserTypesForShare, readUserTypes, type SchemaOwner } from '../schemas/index.ts';
import { readAppFacts } from './app-facts.ts';
import { directionsOf } from './default-properties.ts';
import { dropProperties, insertMappings, type NewMapping, readMappedApps, removeMappings } from './store.ts';

const newMappingId = ({ orgId }: Context): string => newId('profileMapping', orgSuffixOf(orgId));

async function createMappingsFor(tx: Tx, context: Context, app: AppFacts): Promise<void> {
  // A concurrent creation of a user type waits for this lock and then finds these mappings.
  const types = await lockUserTypesForShare(tx, context.orgId);
  const mappings = types.flatMap((type) =>
    directionsOf(app.kind).map(
      (direction): NewMapping => ({
        id: newMappingId(context),
        appId: app.id,
        appName: app.name,
        appKind: app.kind,
        userTypeId: type.id,
        direction,
      }),
    ),
  );
  await insertMappings(tx, context.orgId, mappings, wholeSecond(context.now));
}

export async function createMappingsOfApp(tx: Tx, context: Context, { target }: NewEvent): Promise<void> {
  const [made] = target ?? [];
  const app = made === undefined ? null : await readAppFacts(tx, context.orgId, made.id);
  if (app !== null) await createMappingsFor(tx, context, app);
}

/** A new user type gets the mappings that the default user type has, with default properties. */
export async function createMappingsOfType(tx: Tx, context: Context, { target }: NewEvent): Promise<void> {
  const [made] = target ?? [];
  const standard = (await readUserTypes(tx, context.orgId)).find(({ isDefault }) => isDefault);
  if (made === undefined || standard === undefined) return;
  const apps = await readMappedApps(tx, context.orgId, standard.id);
  const mappings = apps.map((app): NewMapping => ({ ...app, id: newMappingId(context), userTypeId: made.id }));
  await insertMappings(tx, context.orgId, mappings, wholeSecond(context.now));
}

export async function removeMappingsOfApp(tx: Tx, { orgId }: Context, { target }: NewEvent): Promise<void> {
  const [app] = target ?? [];
  if (app !== undefined) await removeMappings(tx, orgId, app.id);
}

/** Drops the mapped properties whose target attributes were removed from a schema. */
export async function forgetAttributes(
  tx: Tx,
  { orgId }: Context,
  owner: SchemaOwner,
  names: readonly string[],
): Promise<void> {
  if (owner.kind === 'GROUP') return;
  const direction = owner.kind === 'USER' ? 'TO_USER' : 'TO_APP_USER';
  await dropProperties(tx, orgId, { direction, id: owner.id }, names);
}
