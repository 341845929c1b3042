import { attributeSight } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import { type Grant, type KeysetPage, keysetPage } from '../../../platform/http/index.ts';
import { ATTRIBUTE_IDS, namesShownTo } from '../../users/index.ts';
import { readableApp } from '../guards.ts';
import type { AssignableApp } from '../links/app-store.ts';
import { readAppUserIds } from '../links/list-store.ts';
import type { AppAssignmentsPorts } from '../ports.ts';
import { type AppUser, findAppUsers, scopeOf } from './app-user.ts';

const Q_ATTRIBUTES = ['profile.login', 'profile.email', 'profile.firstName', 'profile.lastName'] as const;

export interface ListAppUsersQuery {
  readonly q: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

interface Listed {
  readonly id: string;
  readonly appUser: AppUser | undefined;
}

export interface AppUsersPage {
  readonly app: AssignableApp;
  readonly appUsers: readonly AppUser[];
  readonly links: KeysetPage<string>['links'];
}

/**
 * `q` is a prefix of a user's first or last name, login, email address or stored name in the app. Attributes that are
 * hidden from the caller are not searched.
 */
export async function listAppUsers(
  { cursors, db }: Pick<AppAssignmentsPorts, 'cursors' | 'db'>,
  context: Context,
  grant: Grant,
  appId: AppId,
  query: ListAppUsersQuery,
  rawQuery: readonly (readonly [string, string])[],
): Promise<AppUsersPage> {
  const { orgId } = context;
  const { after, before, limit } = query;
  const app = await readableApp(db, context, grant, appId);
  const isBlind = attributeSight(context).reach === 'nothing';
  const attributeIds = (isBlind ? [] : namesShownTo(context, Q_ATTRIBUTES)).map((name) => ATTRIBUTE_IDS[name]);
  const prefix = query.q === undefined || query.q === '' ? null : { text: query.q, attributeIds };
  const { links, rows } = await keysetPage(
    cursors,
    { orgId, list: `listApplicationUsers ${appId}`, limit, after, before, query: rawQuery },
    ({ id }: Listed) => id,
    // The page ends at the last id that was read, even if its user lost the app in the meantime.
    async (request): Promise<Listed[]> => {
      const ids = await readAppUserIds(db, orgId, appId, prefix, request);
      const byId = new Map((await findAppUsers(db, orgId, app, ids)).map((appUser) => [appUser.user.id, appUser]));
      return ids.map((id) => ({ id, appUser: byId.get(id) }));
    },
  );
  const found = rows.flatMap(({ appUser }) => appUser ?? []);
  return { app, appUsers: found.filter((appUser) => scopeOf(appUser) !== null), links };
}
