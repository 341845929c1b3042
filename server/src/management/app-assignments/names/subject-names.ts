import { coversUser, grantOf } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError, invalid } from '../../../kernel/errors/errors.ts';
import { loginKey } from '../../../kernel/texts/text.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import { readUserSchemas } from '../../schemas/index.ts';
import { isOwnToWrite, lockNames } from '../../users/index.ts';
import { type AppUser, userNameOf } from '../users/app-user.ts';
import { findNameHolders, findSubjectOwner, insertSubject, type NameInApp } from './subject-store.ts';
import { nameByTemplate } from './user-names.ts';

/** The form of the ids that the service makes for users and clients, which can be subjects of tokens (RFC 9068 5). */
const ID_OF_A_SUBJECT = /^(?:00u|0oa)[0-9A-Za-z]{17}$/;

const isAnothersId = (name: string, userId: string): boolean => ID_OF_A_SUBJECT.test(name) && name !== userId;

async function mayManage(tx: Tx, { orgId, principal, roles }: Context, userId: string): Promise<boolean> {
  if (principal.kind === 'system') return true;
  const grant = grantOf(roles, 'users.manage');
  return grant !== undefined && grant !== null && coversUser(tx, orgId, grant, userId);
}

/** Locks and checks a name that is being set for a user in an app. */
export async function assertNameFree(tx: Tx, context: Context, named: NameInApp): Promise<void> {
  const { orgId } = context;
  const { name, userId } = named;
  const field = 'credentials.userName';
  if (isAnothersId(name, userId)) throw invalid(field, 'has the form of an id, which only the service makes.');
  const [, { isAnothers, isClient, loginOf }] = await Promise.all([
    lockNames(tx, orgId, [name]),
    findNameHolders(tx, orgId, named),
  ]);
  if (loginOf !== null && !(await mayManage(tx, context, loginOf))) throw apiError('E0000006');
  if (loginOf !== null) throw invalid(field, 'is the login of another user.');
  if (isClient) throw invalid(field, 'is the id of an OAuth client.');
  if (isAnothers) throw invalid(field, 'is the name of another user in an application.');
}

/** Returns whether the template makes this name without the attributes that the user may write. */
async function isBeyondHim(db: Db, { orgId }: Context, { app, user }: AppUser, name: string): Promise<boolean> {
  const schemas = await readUserSchemas(db, orgId);
  const schema = schemas.find(({ typeId }) => typeId === user.typeId)?.schema;
  const own = ([attribute]: readonly [string, unknown]): boolean => {
    const definition = schema?.get(attribute);
    return definition === undefined || isOwnToWrite(definition);
  };
  const rest = Object.fromEntries(Object.entries(user.profile).filter((entry) => !own(entry)));
  return nameByTemplate(app.userNameTemplate, rest) === name;
}

/** Returns the user's login, or the user's id if the login looks like somebody else's id. */
export const subjectByLogin = ({ id, login }: { readonly id: string; readonly login: string }): string =>
  isAnothersId(login, id) ? id : login;

/**
 * Returns the user's subject in tokens of custom authorization servers: the name in the app or, without one, the login.
 * If that name could be somebody else's, the subject is the user's id. A name from the app belongs to the first user
 * whose token contained that name as its subject, until that user is deleted.
 */
export async function tokenSubjectOf(tx: Tx, context: Context, appUser: AppUser): Promise<string> {
  const { app, own, user } = appUser;
  const { orgId } = context;
  const name = userNameOf(appUser);
  if (name === null || loginKey(name) === loginKey(user.login))
    return subjectByLogin({ ...user, login: name ?? user.login });
  if (name === user.id || isAnothersId(name, user.id)) return user.id;
  if ((own?.userName ?? null) === null && !(await isBeyondHim(tx, context, appUser, name))) return user.id;
  const owner = await findSubjectOwner(tx, orgId, name);
  if (owner !== undefined) return owner === user.id ? name : user.id;
  const named = { appId: app.id, userId: user.id, name };
  const [, holders, ownerNow] = await Promise.all([
    lockNames(tx, orgId, [name]),
    findNameHolders(tx, orgId, named),
    findSubjectOwner(tx, orgId, name),
  ]);
  if (ownerNow === user.id) return name;
  if (holders.loginOf !== null || holders.isAnothers || holders.isClient) return user.id;
  await insertSubject(tx, orgId, named);
  return name;
}
