import type { Context } from '../../kernel/context.ts';
import type { HeldRole } from '../../kernel/words/held-role.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { PasswordPolicy, PasswordSubject } from '../../kernel/words/password-policy.ts';
import type { Cost, PasswordHasher } from '../../platform/crypto/passwords/index.ts';
import type { Db, FindById, Tx } from '../../platform/postgres/index.ts';
import type { Foundation, Record as RecordEvent, SharedWork } from '../../system-log/index.ts';
import type { SelfService } from './passwords/password-rules.ts';
import type { UserRow } from './records/user-row.ts';

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
    | 'appRemoved'
    | 'factorEnrolled'
    | 'factorsRemoved'
    | 'signInCode';
  readonly userId: string;
  readonly recipient: string;
  readonly displayName: string;
  readonly locale: string | null;
  readonly url: string;
  /** The code of a sign-in, if the email contains one. */
  readonly code?: string;
  /** The login or id of the user whom the email is about. */
  readonly about?: string;
  /** The validity of the link in minutes; null when the email has no link that expires. */
  readonly validMinutes: number | null;
}

/** The dependencies of this slice. `app/` provides the calls to slices that this slice must not import. */
export interface UsersPorts extends Pick<Foundation, 'work' | 'db' | 'cursors'> {
  /** The unit of work that updates and creations share. */
  readonly sharedWork: SharedWork;
  /** Finds a user by id, outside of transactions. */
  readonly findUser: FindById<UserRow>;
  readonly passwords: PasswordHasher;
  /** Finds the highest cost of verifying a password of the org, for each kind of hash that the org has. */
  readonly dearestPasswords: (orgId: OrgId) => Promise<readonly Cost[]>;
  readonly pause: (milliseconds: number) => Promise<void>;
  /**
   * Finds the password policy of a user. Null stands for an unknown user. Do not call this inside a transaction,
   * because it takes a second connection.
   */
  readonly passwordPolicyFor: (orgId: OrgId, user: PasswordSubject | null) => Promise<PasswordPolicy>;
  /**
   * Finds the operations that policy rules permit a user to perform without an administrator. Null stands for an
   * unknown user. Do not call this inside a transaction, because it takes a second connection.
   */
  readonly selfServiceFor: (context: Context, user: PasswordSubject | null) => Promise<SelfService>;
  /** Returns whether each violated password rule gets its own cause or all rules share one cause. */
  readonly passwordErrors: (orgId: OrgId) => Promise<'perRule' | 'single'>;
  /** Reads a user's administrator roles, assigned directly or through groups. */
  readonly rolesOf: (db: Db, orgId: OrgId, userId: string) => Promise<readonly HeldRole[]>;
  /** Starts the reads that the reactions to a new user need, so that they are sent together with the creation. */
  readonly foreseeCreation: (tx: Tx, orgId: OrgId) => void;
  /** Starts the reads that the reactions to a changed profile need, so that they are sent together with the change. */
  readonly foreseeUpdate: (tx: Tx, orgId: OrgId, userId: string) => void;
  readonly joinGroups: (
    tx: Tx,
    context: Context,
    record: RecordEvent,
    userId: string,
    groupIds: readonly string[],
  ) => Promise<void>;
  readonly leaveGroups: (tx: Tx, context: Context, record: RecordEvent, user: UserRow) => Promise<void>;
  /** Deletes the factors of a user who is deactivated. */
  readonly wipeFactors: (tx: Tx, orgId: OrgId, userId: string) => Promise<void>;
  readonly assertNotLastSuperAdmin: (tx: Tx, orgId: OrgId, userId: string) => Promise<void>;
  /**
   * Queues an email, unless the address has had too many recently (`limited`) or the org does not send it (`withheld`).
   */
  readonly queueMail: (tx: Tx, context: Context, mail: UserMail) => Promise<'queued' | 'limited' | 'withheld'>;
}
