import type { Context } from '../../kernel/context.ts';
import type { HeldRole } from '../../kernel/words/held-role.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { PasswordPolicy } from '../../kernel/words/password-policy.ts';
import type { Cost, PasswordHasher } from '../../platform/crypto/passwords/index.ts';
import type { CursorCodec } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { Record as RecordEvent, Work } from '../../system-log/index.ts';
import type { ProfileSchema } from '../schemas/index.ts';
import type { IsCommonPassword, SelfService } from './passwords/password-rules.ts';
import type { ProviderType, UserRow } from './records/user-row.ts';

/** Which definition a user's profile follows. */
export interface TypedSchema {
  readonly typeId: string;
  readonly schemaId: string;
  readonly schema: ProfileSchema;
}

/** Whom a password policy is asked for: a user, or somebody who is only being made. */
export interface PasswordSubject {
  /** Null: being made. */
  readonly id: string | null;
  /** This org itself where it is left out. */
  readonly providerType?: ProviderType;
  /** Groups that somebody gets who is being made. */
  readonly groupIds?: readonly string[];
}

/** A mail that a change causes; it is written in the change's transaction and sent later. */
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
  /** Language and region of the user, where the profile says so. */
  readonly locale: string | null;
  readonly url: string;
  /** Whom the mail is about, where that is not its reader. */
  readonly about?: string;
  /** How long the link leads anywhere; null: it is no link of that kind. */
  readonly validMinutes: number | null;
}

/** What the users slice needs of others; what lies to its right is handed in by app/ (design: order among slices). */
export interface UsersPorts {
  readonly work: Work;
  readonly db: Db;
  readonly passwords: PasswordHasher;
  /** The dearest password of each kind that somebody in the org has, at most a second old. */
  readonly dearestPasswords: (orgId: OrgId) => Promise<readonly Cost[]>;
  /** Waits so long, not at all for nothing or less. */
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly cursors: CursorCodec;
  /** The schema of a type (null: the default type), locked against changes until the transaction ends. */
  readonly schemaForWrite: (tx: Tx, orgId: OrgId, typeId: string | null) => Promise<TypedSchema | null>;
  /** The schemas of all user types, the default one's first; nothing keeps them from changing. */
  readonly schemasOf: (db: Db, orgId: OrgId) => Promise<readonly TypedSchema[]>;
  /** The schema id of a type, for links. */
  readonly schemaIdOf: (db: Db, orgId: OrgId, typeId: string) => Promise<string | null>;
  /** The password policy of a user; null: of nobody who is known. Never inside a transaction. */
  readonly passwordPolicyFor: (orgId: OrgId, user: PasswordSubject | null) => Promise<PasswordPolicy>;
  /** What its rules let the user do from where the client is. Never inside a transaction. */
  readonly selfServiceFor: (context: Context, user: PasswordSubject | null) => Promise<SelfService>;
  readonly isCommonPassword: IsCommonPassword;
  /** Whether violated password rules are told one by one or, as older clients expect, in one cause. */
  readonly passwordErrors: (orgId: OrgId) => Promise<'perRule' | 'single'>;
  /** What a user holds as an administrator: by own assignments and by groups. */
  readonly rolesOf: (db: Db, orgId: OrgId, userId: string) => Promise<readonly HeldRole[]>;
  /** Puts a new user into groups, in the transaction that creates it. 400 E0000001, 403 E0000006. */
  readonly joinGroups: (
    tx: Tx,
    context: Context,
    record: RecordEvent,
    userId: string,
    groupIds: readonly string[],
  ) => Promise<void>;
  /** Ends all memberships of a user who is about to be removed, so that what follows from them is not missed. */
  readonly leaveGroups: (tx: Tx, context: Context, record: RecordEvent, user: UserRow) => Promise<void>;
  /** Throws when the user is the org's last super administrator. */
  readonly assertNotLastSuperAdmin: (tx: Tx, orgId: OrgId, userId: string) => Promise<void>;
  /**
   * `limited`: the address had too many of late, and this one is left out; `withheld`: the org sends such mails to
   * others alone.
   */
  readonly queueMail: (tx: Tx, context: Context, mail: UserMail) => Promise<'queued' | 'limited' | 'withheld'>;
}
