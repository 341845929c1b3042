import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { PasswordSubject } from '../../kernel/words/password-policy.ts';
import { foreseeAppsOfEveryone, foreseeAppsOfUser } from '../../management/app-assignments/index.ts';
import { customMailFor, isWithheld, mailLookFor } from '../../management/brands/index.ts';
import { wipeFactors } from '../../management/factors/index.ts';
import { foreseeRules, foreseeRulesForNewUser } from '../../management/group-rules/index.ts';
import { joinGroups, leaveAllGroups } from '../../management/groups/index.ts';
import { findOrgName, type OrgDirectory } from '../../management/orgs/index.ts';
import type { PolicyEngine } from '../../management/policies/index.ts';
import { assertNotLastSuperAdmin, rolesOfUser } from '../../management/roles/index.ts';
import {
  dearestPasswordsReader,
  findUserById,
  type UserMail,
  type UsersPorts,
  userReader,
} from '../../management/users/index.ts';
import type { Zones } from '../../management/zones/index.ts';
import { type PasswordHasher } from '../../platform/crypto/passwords/index.ts';
import type { CursorCodec } from '../../platform/http/index.ts';
import { type MailOutbox, queueMail, renderMail } from '../../platform/mail/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { SharedWork, Work } from '../../system-log/index.ts';

export interface UsersPortsOptions {
  readonly work: Work;
  readonly newSharedWork: () => SharedWork;
  readonly db: Db;
  readonly passwords: PasswordHasher;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  readonly orgDirectory: OrgDirectory;
  readonly policies: Pick<PolicyEngine, 'password'>;
  readonly zones: Pick<Zones, 'idsAt'>;
  readonly mailOutbox: MailOutbox;
}

/** An unknown user has no id and belongs only to groups that contain everyone. */
const NOBODY: PasswordSubject = { id: null };

/**
 * Queues an email, unless the org's settings withhold it or the recipient's limit is reached. Uses only the
 * transaction's connection, because waiting for a second connection could cause a deadlock.
 */
async function queueUserMail(
  outbox: MailOutbox,
  tx: Tx,
  context: Context,
  mail: UserMail,
): Promise<'queued' | 'limited' | 'withheld'> {
  const { canonicalUrl, now, orgId } = context;
  const { about, code, displayName, kind, locale, recipient, url, userId, validMinutes } = mail;
  const rolesHeld = () => rolesOfUser(tx, orgId, userId);
  const isAdministrator = async (): Promise<boolean> => (await rolesHeld()).length > 0;
  if (await isWithheld(tx, orgId, kind, isAdministrator)) return 'withheld';
  const orgName = await findOrgName(tx, orgId);
  const custom = await customMailFor(tx, orgId, mail, async () => {
    const [user, roles] = [await findUserById(tx, orgId, userId), await rolesHeld()];
    // A template's author could redirect links of users with more rights, so super administrators get no custom email.
    if (user === undefined || roles.some(({ type }) => type === 'SUPER_ADMIN')) return null;
    return { profile: user.profile, orgName, baseUrl: canonicalUrl, url };
  });
  const facts = { about: about ?? null, code: code ?? null, displayName, orgName, locale, url, validMinutes };
  const content = custom ?? renderMail(kind, { ...facts, look: await mailLookFor(tx, context) });
  return queueMail(outbox, tx, orgId, { kind, userId, recipient, ...content }, now);
}

export function usersPortsOf(options: UsersPortsOptions): UsersPorts {
  const { clock, db, orgDirectory, mailOutbox, passwords, policies, cursors, newSharedWork, work, zones } = options;
  const settingsOf = (orgId: OrgId) => orgDirectory.settingsOf(orgId);
  const policyOf = (orgId: OrgId, subject: PasswordSubject | null) => policies.password(orgId, subject ?? NOBODY);
  return {
    work,
    sharedWork: newSharedWork(),
    db,
    findUser: userReader(db),
    passwords,
    dearestPasswords: dearestPasswordsReader({ db, clock }),
    pause: async (milliseconds) => {
      if (milliseconds > 0) await setTimeout(milliseconds);
    },
    cursors,
    passwordPolicyFor: async (orgId, subject) => (await policyOf(orgId, subject)).settings,
    selfServiceFor: async ({ client, orgId }, subject) => {
      const [policy, located] = await Promise.all([policyOf(orgId, subject), zones.idsAt(orgId, client.ipAddress)]);
      return policy.selfService(located);
    },
    passwordErrors: async (orgId) => (await settingsOf(orgId)).passwordErrors,
    rolesOf: rolesOfUser,
    foreseeCreation: (tx, orgId) => {
      foreseeAppsOfEveryone(tx, orgId);
      foreseeRulesForNewUser(tx, orgId);
    },
    foreseeUpdate: (tx, orgId, userId) => {
      foreseeAppsOfUser(tx, orgId, userId);
      foreseeRules(tx, orgId);
    },
    wipeFactors,
    assertNotLastSuperAdmin,
    joinGroups,
    leaveGroups: leaveAllGroups,
    queueMail: (tx, context, mail) => queueUserMail(mailOutbox, tx, context, mail),
  };
}
