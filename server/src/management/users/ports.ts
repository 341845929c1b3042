import type { Context } from '../../kernel/context.ts';
import type { HeldRole } from '../../kernel/words/held-role.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { PasswordPolicy, PasswordSubject } from '../../kernel/words/password-policy.ts';
import type { Cost, PasswordHasher } from '../../platform/crypto/passwords/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { Foundation, Record as RecordEvent } from '../../system-log/index.ts';
import type { SelfService } from './passwords/password-rules.ts';
import type { UserRow } from './records/user-row.ts';

/** A mail that a change causes; it is stored in the change's transaction and sent later. */
export interface UserMail {
  readonly kind:
    | 'activation'
    | 'passwordReset'
    | 'unlock'
    | 'lockout'
    | 'signInRequest'
    | 'addressProof'
    | 'addressNotice'
    | 'deactivation'
    | 'appRemoved';
  readonly userId: string;
  readonly recipient: string;
  readonly displayName: string;
  /** Language and region of the user, if the profile has them. */
  readonly locale: string | null;
  readonly url: string;
  /** The user that the mail is about, if that is not its reader. */
  readonly about?: string;
  /** Validity of the link; null when the mail has none that expires. */
  readonly validMinutes: number | null;
}

/** Ports to the slices on the right of users, which app/ hands in (design: order among slices). */
export interface UsersPorts extends Pick<Foundation, 'work' | 'db' | 'cursors'> {
  readonly passwords: PasswordHasher;
  /** The most expensive password of each kind in the org, at most a second old. */
  readonly dearestPasswords: (orgId: OrgId) => Promise<readonly Cost[]>;
  /** Waits for this time; not at all for zero or less. */
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Finds the password policy of a user; null stands for an unknown user. Do not call it inside a transaction. */
  readonly passwordPolicyFor: (orgId: OrgId, user: PasswordSubject | null) => Promise<PasswordPolicy>;
  /** Finds what the policy's rules let the user do from the client's network. Do not call it inside a transaction. */
  readonly selfServiceFor: (context: Context, user: PasswordSubject | null) => Promise<SelfService>;
  /** Whether each violated password rule is its own cause or, as older clients expect, all are one cause. */
  readonly passwordErrors: (orgId: OrgId) => Promise<'perRule' | 'single'>;
  /** Reads a user's administrator roles, held directly or by groups. */
  readonly rolesOf: (db: Db, orgId: OrgId, userId: string) => Promise<readonly HeldRole[]>;
  /** Puts a new user into groups, in the transaction that creates it. 400 E0000001, 403 E0000006. */
  readonly joinGroups: (
    tx: Tx,
    context: Context,
    record: RecordEvent,
    userId: string,
    groupIds: readonly string[],
  ) => Promise<void>;
  /** Ends all memberships of a user who is about to be deleted, so that all consequences of leaving occur. */
  readonly leaveGroups: (tx: Tx, context: Context, record: RecordEvent, user: UserRow) => Promise<void>;
  /** Throws when the user is the org's last super administrator. */
  readonly assertNotLastSuperAdmin: (tx: Tx, orgId: OrgId, userId: string) => Promise<void>;
  /**
   * `limited` means that the address had too many mails recently, and this one is dropped; `withheld` that the org does
   * not send such mails to this reader.
   */
  readonly queueMail: (tx: Tx, context: Context, mail: UserMail) => Promise<'queued' | 'limited' | 'withheld'>;
}
