import type { Application } from '../app/application.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors/errors.ts';
import type { OrgId } from '../kernel/words/ids.ts';
import type { Namespace } from '../kernel/words/namespace.ts';
import { createApiToken, revokeTokensNamed } from '../management/api-tokens/index.ts';
import { createOrg, findOrgIdBySubdomain } from '../management/orgs/index.ts';
import { assignRole } from '../management/roles/index.ts';
import { createUser, expirePasswordWithTempPassword, getUser } from '../management/users/index.ts';
import { systemContext } from '../system-log/index.ts';
import type { FirstOrg } from './first-start.ts';

const ALL = { kind: 'all' } as const;
const ALREADY_ASSIGNED = 'E0000090';

const codeOf = (error: unknown): string | null => (error instanceof ApiError ? error.code : null);

/** Binds the use cases of a first start to contexts in which the service itself is the actor. */
export function firstOrgOf(application: Application, namespace: Namespace, baseUrl: string): FirstOrg {
  const { db, users, work } = application;
  const contextOf = (orgId: OrgId): Context => ({
    ...systemContext({ orgId, namespace, name: 'first-start', now: new Date() }),
    baseUrl,
    canonicalUrl: baseUrl,
  });
  return {
    findOrg: (subdomain) => findOrgIdBySubdomain(db, subdomain),
    createOrg: async (input) => (await createOrg({ work, namespace }, new Date(), input)).orgId,
    findUser: async (orgId, login) => {
      try {
        return (await getUser(users, contextOf(orgId), ALL, login)).id;
      } catch (error) {
        if (codeOf(error) === 'E0000007') return null;
        throw error;
      }
    },
    createAdministrator: async (orgId, { login, password }) => {
      const profile = { firstName: 'Org', lastName: 'Administrator', login, email: login };
      const input = { profile, credentials: { password: { value: password } } };
      const options = { activate: true, provider: false, nextLogin: 'changePassword' } as const;
      return (await createUser(users, contextOf(orgId), input, options)).user.id;
    },
    replacePassword: async (orgId, userId) =>
      (await expirePasswordWithTempPassword(users, contextOf(orgId), ALL, userId, {})).tempPassword,
    assignSuperAdministrator: async (orgId, userId) => {
      await assignRole(application, contextOf(orgId), 'USER', userId, { type: 'SUPER_ADMIN' }).catch(
        (error: unknown) => {
          if (codeOf(error) !== ALREADY_ASSIGNED) throw error;
        },
      );
    },
    createApiToken: async (orgId, userId, name) => {
      const context = contextOf(orgId);
      await revokeTokensNamed(application, context, name);
      return (await createApiToken(application, context, { userId, name })).value;
    },
  };
}
