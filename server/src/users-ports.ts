import type { OrgId } from './kernel/ids.ts';
import { type EdgeOrgs, findOrgName } from './management/orgs/index.ts';
import { assertNotLastSuperAdmin, rolesOfUser } from './management/roles/index.ts';
import { createSchemaIdReader, lockSchemaForWrite } from './management/schemas/index.ts';
import { DEFAULT_PASSWORD_POLICY, type UsersPorts } from './management/users/index.ts';
import type { MasterKey } from './platform/crypto/index.ts';
import type { PasswordHasher } from './platform/crypto/passwords/index.ts';
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
  readonly masterKey: MasterKey;
  /** Whether mails are sent; otherwise they are kept for `gatehouse mail list`. */
  readonly smtp: boolean;
}

const VALID_HOURS = { activation: 7 * 24, passwordReset: 1, unlock: 1 } as const;

/** What the users slice is handed of the slices to its right, of mail and of settings. */
export function usersPortsOf(options: UsersPortsOptions): UsersPorts {
  const { db, edgeOrgs, masterKey, passwords, cursors, work } = options;
  const outbox = { masterKey, delivery: options.smtp ? 'smtp' : 'kept' } as const;
  const settingsOf = (orgId: OrgId) => edgeOrgs.settingsOf(orgId);
  return {
    work,
    db,
    passwords,
    cursors,
    schemaForWrite: lockSchemaForWrite,
    schemaIdOf: createSchemaIdReader(),
    // Policies of an org arrive with the directory; until then every org has this one.
    passwordPolicyFor: () => Promise.resolve(DEFAULT_PASSWORD_POLICY),
    passwordErrors: async (orgId) => (await settingsOf(orgId)).passwordErrors,
    rolesOf: rolesOfUser,
    assertNotLastSuperAdmin,
    queueMail: async (tx, context, mail) => {
      // Through the transaction's own connection: one more from the pool, asked for by all that hold one, may never
      // come.
      const orgName = await findOrgName(tx, context.orgId);
      const validHours = VALID_HOURS[mail.kind];
      const content = renderMail(mail.kind, { displayName: mail.displayName, orgName, url: mail.url, validHours });
      const { kind, userId, recipient } = mail;
      return queueMail(outbox, tx, context.orgId, { kind, userId, recipient, ...content }, context.now);
    },
  };
}
