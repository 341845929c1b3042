import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type Ask, type Body, exists, hasMember, isGone, type Look, lists, listsNo, type Script } from './call.ts';

const USERS = '/api/v1/users';
const PASSWORD = 'Correct-1-Horse';
const ANOTHER_PASSWORD = 'Battery-2-Staple';

/** Returns a hashed password to import, so that the load is on the database and not on argon2. */
function importedPassword() {
  const salt = randomBytes(8);
  const value = createHash('sha256').update(salt).update(PASSWORD).digest('base64');
  return { hash: { algorithm: 'SHA-256', salt: salt.toString('base64'), saltOrder: 'PREFIX', value } };
}

export interface MadeUser {
  readonly id: string;
  readonly path: string;
  readonly login: string;
}

export async function createUser(ask: Ask): Promise<MadeUser> {
  const login = `${randomUUID()}@example.com`;
  const profile = { firstName: 'Crash', lastName: 'Test', login, email: login };
  const user: Body = await ask({
    operation: 'createUser',
    method: 'POST',
    path: USERS,
    body: { profile, credentials: { password: importedPassword() } },
    mark: login,
    isThere: exists(`${USERS}/${encodeURIComponent(login)}`),
  });
  return { id: user.id, path: `${USERS}/${user.id}`, login };
}

const move = (ask: Ask, { id, path }: MadeUser, operation: string, action: string, status: string) =>
  ask({
    operation,
    method: 'POST',
    path: `${path}/lifecycle/${action}`,
    mark: id,
    isThere: hasMember(path, 'status', status),
  });

export const removeUser = async (ask: Ask, user: MadeUser): Promise<void> => {
  await move(ask, user, 'deactivateUser', 'deactivate', 'DEPROVISIONED');
  const { id, path } = user;
  await ask({ operation: 'deleteUser', method: 'DELETE', path, mark: id, isThere: isGone(path) });
};

const profiles: Script = {
  name: 'User',
  run: async ({ ask }) => {
    const user = await createUser(ask);
    const { id, path, login } = user;
    const nickName = `n${randomUUID()}`;
    const named = hasMember(path, 'profile.nickName', nickName);
    const body = { profile: { nickName } };
    await ask({ operation: 'updateUser', method: 'POST', path, body, mark: id, isThere: named });
    const displayName = `d${randomUUID()}`;
    const shown = hasMember(path, 'profile.displayName', displayName);
    const profile = { firstName: 'Crash', lastName: 'Test', login, email: login, displayName };
    await ask({ operation: 'replaceUser', method: 'PUT', path, body: { profile }, mark: id, isThere: shown });
    await move(ask, user, 'suspendUser', 'suspend', 'SUSPENDED');
    await move(ask, user, 'unsuspendUser', 'unsuspend', 'ACTIVE');
    await move(ask, user, 'deactivateUser', 'deactivate', 'DEPROVISIONED');
    await move(ask, user, 'activateUser', 'activate?sendEmail=false', 'PROVISIONED');
    await removeUser(ask, user);
  },
};

const credentials: Script = {
  name: 'credentials of a user',
  run: async ({ ask }) => {
    const user = await createUser(ask);
    const { id, path } = user;
    await move(ask, user, 'expirePassword', 'expire_password', 'PASSWORD_EXPIRED');
    const oldPassword = { value: PASSWORD };
    const newPassword = { value: ANOTHER_PASSWORD };
    await ask({
      operation: 'changePassword',
      method: 'POST',
      path: `${path}/credentials/change_password`,
      body: { oldPassword, newPassword },
      mark: id,
      isThere: hasMember(path, 'status', 'ACTIVE'),
    });
    const question = `Which ${randomUUID()}?`;
    await ask({
      operation: 'changeRecoveryQuestion',
      method: 'POST',
      path: `${path}/credentials/change_recovery_question`,
      body: { password: newPassword, recovery_question: { question, answer: 'That one' } },
      mark: id,
      isThere: hasMember(path, 'credentials.recovery_question.question', question),
    });
    await move(ask, user, 'resetPassword', 'reset_password?sendEmail=false', 'RECOVERY');
    await removeUser(ask, user);
    const other = await createUser(ask);
    const temporary = 'expire_password_with_temp_password';
    await move(ask, other, 'expirePasswordWithTempPassword', temporary, 'PASSWORD_EXPIRED');
    await removeUser(ask, other);
  },
};

const roles: Script = {
  name: 'roles of a user',
  run: async ({ ask }) => {
    const user = await createUser(ask);
    const list = `${user.path}/roles`;
    const type = 'READ_ONLY_ADMIN';
    const isThere = lists(list, 'type', type);
    const mark = user.id;
    const operation = 'assignRoleToUser';
    const role = await ask({ operation, method: 'POST', path: list, body: { type }, mark, isThere });
    const path = `${list}/${role.id}`;
    const unassigned = listsNo(list, 'type', type);
    await ask({ operation: 'unassignRoleFromUser', method: 'DELETE', path, mark, isThere: unassigned });
    await removeUser(ask, user);
  },
};

export async function signIn(ask: Ask, user: MadeUser): Promise<string> {
  const { sessionToken } = await ask({
    operation: 'authenticate',
    method: 'POST',
    path: '/api/v1/authn',
    body: { username: user.login, password: PASSWORD },
    anonymous: true,
    mark: user.id,
    isThere: null,
  });
  const session = await ask({
    operation: 'createSession',
    method: 'POST',
    path: '/api/v1/sessions',
    body: { sessionToken },
    anonymous: true,
    mark: user.id,
    isThere: null,
  });
  return String(session.id);
}

const sessions: Script = {
  name: 'Session',
  run: async ({ ask }) => {
    const user = await createUser(ask);
    const path = `/api/v1/sessions/${await signIn(ask, user)}`;
    const isThere = async (look: Look) => (await look(path)).status === 404;
    await ask({ operation: 'revokeSession', method: 'DELETE', path, mark: user.id, isThere });
    await removeUser(ask, user);
  },
};

export const USER_SCRIPTS: readonly Script[] = [profiles, credentials, roles, sessions];
