import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import type { AppId, OrgId } from '../../kernel/words/ids.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { AppFacts } from './profiles/app-user-profile.ts';
import { findProfileSchema, GROUP_OWNER, type ProfileSchemaRow } from './profiles/profile-schema-store.ts';
import { findUserType, findUserTypeBySchema, type UserType } from './store.ts';
import type { OwnedSchema } from './wire.ts';

export type AppFactsReader = (db: Db, orgId: OrgId, appId: AppId) => Promise<AppFacts | null>;

const DEFAULT = 'default';

export async function getUserSchema(db: Db, context: Context, schemaId: string): Promise<UserType> {
  const type =
    schemaId === DEFAULT
      ? await findUserType(db, context.orgId, null)
      : await findUserTypeBySchema(db, context.orgId, schemaId);
  if (type === undefined) throw notFound(schemaId, 'UserSchema');
  return type;
}

/** Uses the creation time of the default user type, because none is stored for the schema of groups. */
export async function getGroupSchema(db: Db, context: Context): Promise<OwnedSchema> {
  const [row, type] = await Promise.all([
    findProfileSchema(db, context.orgId, GROUP_OWNER),
    findUserType(db, context.orgId, null),
  ]);
  if (type === undefined) throw notFound(DEFAULT, 'GroupSchema');
  return { row, createdAt: type.createdAt };
}

export async function getApp(read: AppFactsReader, db: Db, context: Context, appId: AppId): Promise<AppFacts> {
  const app = await read(db, context.orgId, appId);
  if (app === null) throw notFound(appId, 'AppInstance');
  return app;
}

export async function getAppUserSchema(
  read: AppFactsReader,
  db: Db,
  context: Context,
  appId: AppId,
): Promise<{ readonly app: AppFacts; readonly row: ProfileSchemaRow | undefined }> {
  const app = await getApp(read, db, context, appId);
  return { app, row: await findProfileSchema(db, context.orgId, app.id) };
}
