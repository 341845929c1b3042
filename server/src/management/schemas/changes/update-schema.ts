import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import {
  type CustomAttribute,
  type LeavingAttribute,
  type ProfileSchema,
  schemaWith,
} from '../attributes/attribute.ts';
import { profileSchema } from '../attributes/base-profile.ts';
import { type AppFactsReader, getApp, getUserSchema } from '../get-schema.ts';
import { type AppFacts, appUserAttributes } from '../profiles/app-user-profile.ts';
import { GROUP_PROFILE_ATTRIBUTES } from '../profiles/group-profile.ts';
import {
  findProfileSchema,
  GROUP_OWNER,
  lockProfileSchemaExclusively,
  type ProfileSchemaRow,
  storeProfileSchema,
} from '../profiles/profile-schema-store.ts';
import { lockSchemaExclusively, lockUserTypes, type UserType, updateUserType } from '../store.ts';
import { appUserSchemaVersion, groupSchemaVersion, userSchemaVersion } from '../versions.ts';
import { appUserSchemaChange, groupSchemaChange, userSchemaChange } from '../wire.ts';
import { assertNothingBreaks, moveUniqueValues, removeValues } from './apply-changes.ts';
import type { SchemaOwner } from './followers-store.ts';
import { userSchemaOf } from './lock-schema.ts';
import { isSame } from './read-base-update.ts';
import { readSchemaUpdate, type SchemaChanges, type SchemaUpdate } from './read-schema-update.ts';

export interface SchemaPorts {
  readonly work: Work;
  readonly appFacts: AppFactsReader;
  /**
   * Removes what other slices store about the removed attributes. Throws 400 E0000001 if one of them is still needed.
   */
  readonly attributesRemoved: (tx: Tx, context: Context, owner: SchemaOwner, names: readonly string[]) => Promise<void>;
}

const namesOf = (removed: readonly CustomAttribute[]): string[] => removed.map(({ name }) => name);

/** Applies a change to the stored profiles. Returns the attributes whose values a job must still remove. */
async function carryOut(
  ports: SchemaPorts,
  tx: Tx,
  context: Context,
  owner: SchemaOwner,
  change: { readonly before: ProfileSchema; readonly after: ProfileSchema; readonly removed: SchemaChanges['removed'] },
): Promise<readonly LeavingAttribute[]> {
  const { after, before, removed } = change;
  await assertNothingBreaks(tx, context.orgId, owner, before, after);
  if (owner.kind === 'USER') await moveUniqueValues(tx, context.orgId, owner.id, before, after);
  if (removed.length === 0) return [];
  await ports.attributesRemoved(tx, context, owner, namesOf(removed));
  return removeValues(tx, context.orgId, owner, removed, context.now);
}

function readUserChange(update: SchemaUpdate, before: UserType, types: readonly UserType[], context: Context) {
  const others = types.filter(({ id }) => id !== before.id);
  const state = {
    base: profileSchema(before.overrides),
    overrides: before.overrides,
    custom: before.custom,
    leaving: before.leaving,
    elsewhere: others.flatMap(({ custom }) => custom),
    leavingElsewhere: others.flatMap(({ leaving }) => leaving),
  };
  return readSchemaUpdate(update, state, { kind: 'USER', upperWord: context.namespace.upper });
}

/** If the update contains only current values, nothing is changed or recorded. */
export function updateUserSchema(
  ports: SchemaPorts,
  context: Context,
  schemaId: string,
  update: SchemaUpdate,
): Promise<UserType> {
  return ports.work(context, async (tx, record) => {
    const found = await getUserSchema(tx, context, schemaId);
    await lockSchemaExclusively(tx, context.orgId, found.id);
    const types = await lockUserTypes(tx, context.orgId);
    const before = types.find(({ id }) => id === found.id);
    if (before === undefined) throw notFound(schemaId, 'UserSchema');
    assertVersion(context, userSchemaVersion(before));
    const { custom, overrides, removed } = readUserChange(update, before, types, context);
    // Different overrides may yield the same base attributes.
    const isBaseSame = isSame([...profileSchema(overrides)], [...profileSchema(before.overrides)]);
    if (custom === before.custom && isBaseSame) return before;
    const changed: UserType = {
      ...before,
      overrides,
      custom,
      revision: before.revision + 1,
      lastUpdatedAt: wholeSecond(context.now),
      lastUpdatedBy: context.actor.id,
    };
    const owner: SchemaOwner = { kind: 'USER', id: before.id };
    const schemas = { before: userSchemaOf(before), after: userSchemaOf(changed), removed };
    const leaving = await carryOut(ports, tx, context, owner, schemas);
    const after = { ...changed, leaving: [...before.leaving, ...leaving] };
    await updateUserType(tx, context.orgId, after);
    record({ eventType: 'directory.user_profile.update', target: [userSchemaChange([before, after])] });
    return after;
  });
}

/** `before` is undefined if the schema was never changed. `after` is null if the update changes nothing. */
async function updateOwned(
  ports: SchemaPorts,
  tx: Tx,
  context: Context,
  owner: SchemaOwner,
  base: ProfileSchema,
  read: (state: ProfileSchemaRow | undefined) => SchemaChanges,
): Promise<readonly [before: ProfileSchemaRow | undefined, after: ProfileSchemaRow | null]> {
  await lockProfileSchemaExclusively(tx, context.orgId, owner.id);
  const row = await findProfileSchema(tx, context.orgId, owner.id);
  const { custom, removed } = read(row);
  const before = row?.custom ?? [];
  if (isSame(custom, before)) return [row, null];
  const schemas = { before: schemaWith(base, before), after: schemaWith(base, custom), removed };
  const leaving = await carryOut(ports, tx, context, owner, schemas);
  const after: ProfileSchemaRow = {
    custom,
    leaving: [...(row?.leaving ?? []), ...leaving],
    revision: (row?.revision ?? 1) + 1,
    lastUpdatedAt: wholeSecond(context.now),
  };
  await storeProfileSchema(tx, context.orgId, owner.id, after);
  return [row, after];
}

const stateOf = (base: ProfileSchema, row: ProfileSchemaRow | undefined) => ({
  base,
  overrides: {},
  custom: row?.custom ?? [],
  leaving: row?.leaving ?? [],
  elsewhere: [],
  leavingElsewhere: [],
});

const customOf = (row: ProfileSchemaRow | undefined) => ({ custom: row?.custom ?? [] });

/** Returns undefined if the update changes nothing and the schema has never been changed. */
export function updateGroupSchema(
  ports: SchemaPorts,
  context: Context,
  update: SchemaUpdate,
): Promise<ProfileSchemaRow | undefined> {
  const owner: SchemaOwner = { kind: 'GROUP', id: GROUP_OWNER };
  const base = GROUP_PROFILE_ATTRIBUTES;
  const options = { kind: 'GROUP', upperWord: context.namespace.upper } as const;
  return ports.work(context, async (tx, record) => {
    const [before, after] = await updateOwned(ports, tx, context, owner, base, (row) => {
      assertVersion(context, groupSchemaVersion(row));
      return readSchemaUpdate(update, stateOf(base, row), options);
    });
    if (after === null) return before;
    record({
      eventType: 'directory.group_profile.update',
      target: [groupSchemaChange([customOf(before), customOf(after)])],
    });
    return after;
  });
}

/** `row` is undefined if the schema was never changed. */
export function updateAppUserSchema(
  ports: SchemaPorts,
  context: Context,
  appId: AppId,
  update: SchemaUpdate,
): Promise<{ readonly app: AppFacts; readonly row: ProfileSchemaRow | undefined }> {
  return ports.work(context, async (tx, record) => {
    // The lock is taken before the app is read, because the deletion of an app removes its schema under the same lock.
    await lockProfileSchemaExclusively(tx, context.orgId, appId);
    const app = await getApp(ports.appFacts, tx, context, appId);
    const owner: SchemaOwner = { kind: 'APP_USER', id: app.id };
    const base = appUserAttributes(app.kind);
    const options = {
      kind: 'APP_USER',
      upperWord: context.namespace.upper,
      needsExternalName: app.kind === 'PROVIDER',
    } as const;
    const [before, after] = await updateOwned(ports, tx, context, owner, base, (row) => {
      assertVersion(context, appUserSchemaVersion(app.id, row));
      return readSchemaUpdate(update, stateOf(base, row), options);
    });
    if (after === null) return { app, row: before };
    record({
      eventType: 'directory.app_user_profile.update',
      target: [appUserSchemaChange([customOf(before), customOf(after)], app)],
    });
    return { app, row: after };
  });
}
