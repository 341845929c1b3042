import type { OrgId } from './kernel/ids.ts';
import { customMailFor } from './management/brands/index.ts';
import { joinGroups, leaveAllGroups } from './management/groups/index.ts';
import { type EdgeOrgs, findOrgName } from './management/orgs/index.ts';
import type { PolicyEngine } from './management/policies/index.ts';
import { assertNotLastSuperAdmin, rolesOfUser } from './management/roles/index.ts';
import { createSchemaIdReader, lockSchemaForWrite, readUserSchemas } from './management/schemas/index.ts';
import { findUserById, type PasswordSubject, type UsersPorts } from './management/users/index.ts';
import type { Zones } from './management/zones/index.ts';
import type { MasterKey } from './platform/crypto/index.ts';
import { isCommonPassword, type PasswordHasher } from './platform/crypto/passwords/index.ts';
import type { CursorCodec } from './platform/http/index.ts';
import { queueMail, renderMail } from './platform/mail/index.ts';
import type { Db } from './platform/postgres/index.ts';
import type { Work } from './system-log/index.ts';

export interface UsersPortsOptions {
  readonly work: Work;
  readonly db: Db;
  readonly passwords: PasswordHasher;
  readonly cursors: CursorCodec;
  readonly edgeOrgs: EdgeOrgs;
  readonly policies: Pick<PolicyEngine, 'password'>;
  readonly zones: Pick<Zones, 'idsAt'>;
  readonly masterKey: MasterKey;
  /** Whether mails are sent; otherwise they are kept for `gatehouse mail list`. */
  readonly smtp: boolean;
}

/** No id: those that everyone is in are the groups of nobody who is known. */
const NOBODY: PasswordSubject = { id: null };

/** Who keeps the password of a user: this org, unless a directory does. */
function providerOf({ providerType }: PasswordSubject): 'INTERNAL' | 'ACTIVE_DIRECTORY' | 'LDAP' {
  return providerType === 'ACTIVE_DIRECTORY' || providerType === 'LDAP' ? providerType : 'INTERNAL';
}

/** What the users slice is handed of the slices to its right, of mail and of settings. */
export function usersPortsOf(options: UsersPortsOptions): UsersPorts {
  const { db, edgeOrgs, masterKey, passwords, policies, cursors, work, zones } = options;
  const outbox = { masterKey, delivery: options.smtp ? 'smtp' : 'kept' } as const;
  const settingsOf = (orgId: OrgId) => edgeOrgs.settingsOf(orgId);
  const policyOf = (orgId: OrgId, subject: PasswordSubject | null) => {
    const { groupIds = [], id, ...rest } = subject ?? NOBODY;
    return policies.password(orgId, { userId: id, provider: providerOf({ id, ...rest }), groupIds });
  };
  return {
    work,
    db,
    passwords,
    cursors,
    schemaForWrite: lockSchemaForWrite,
    schemasOf: readUserSchemas,
    schemaIdOf: createSchemaIdReader(),
    passwordPolicyFor: async (orgId, subject) => (await policyOf(orgId, subject)).settings,
    selfServiceFor: async ({ client, orgId }, subject) => {
      const [policy, located] = await Promise.all([policyOf(orgId, subject), zones.idsAt(orgId, client.ipAddress)]);
      return policy.selfService(located);
    },
    isCommonPassword,
    passwordErrors: async (orgId) => (await settingsOf(orgId)).passwordErrors,
    rolesOf: rolesOfUser,
    assertNotLastSuperAdmin,
    joinGroups,
    leaveGroups: leaveAllGroups,
    queueMail: async (tx, context, mail) => {
      // Through the transaction's own connection: one more from the pool, asked for by all that hold one, may never
      // come.
      const orgName = await findOrgName(tx, context.orgId);
      const { displayName, locale, url, validMinutes } = mail;
      const { kind, userId, recipient } = mail;
      const { baseUrl, orgId } = context;
      const custom = await customMailFor(tx, orgId, mail, async () => {
        const [user, roles] = [await findUserById(tx, orgId, userId), await rolesOfUser(tx, orgId, userId)];
        // Who writes what mails say could lead the links of those who may do more elsewhere.
        if (user === undefined || roles.some(({ type }) => type === 'SUPER_ADMIN')) return null;
        return { profile: user.profile, orgName, baseUrl, url };
      });
      const content = custom ?? renderMail(kind, { displayName, orgName, locale, url, validMinutes });
      return queueMail(outbox, tx, context.orgId, { kind, userId, recipient, ...content }, context.now);
    },
  };
}
