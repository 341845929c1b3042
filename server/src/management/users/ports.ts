import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/ids.ts';
import type { PasswordHasher } from '../../platform/crypto/passwords/index.ts';
import type { CursorCodec } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { ProfileSchema } from '../schemas/index.ts';
import type { PasswordPolicy } from './password-rules.ts';
import type { UserRow } from './user-row.ts';

/** Which definition a user's profile follows. */
export interface TypedSchema {
  readonly typeId: string;
  readonly schemaId: string;
  readonly schema: ProfileSchema;
}

/** A mail that a change causes; it is written in the change's transaction and sent later. */
export interface UserMail {
  readonly kind: 'activation' | 'passwordReset' | 'unlock';
  readonly userId: string;
  readonly recipient: string;
  readonly displayName: string;
  readonly url: string;
}

/** What the users slice needs of others; what lies to its right is handed in by app.ts (design: order among slices). */
export interface UsersPorts {
  readonly work: Work;
  readonly db: Db;
  readonly passwords: PasswordHasher;
  readonly cursors: CursorCodec;
  /** The schema of a type (null: the default type), locked against changes until the transaction ends. */
  readonly schemaForWrite: (tx: Tx, orgId: OrgId, typeId: string | null) => Promise<TypedSchema | null>;
  /** The schema id of a type, for links. */
  readonly schemaIdOf: (db: Db, orgId: OrgId, typeId: string) => Promise<string | null>;
  readonly passwordPolicyFor: (orgId: OrgId, user: Pick<UserRow, 'id'> | null) => Promise<PasswordPolicy>;
  /** Whether violated password rules are told one by one or, as older clients expect, in one cause. */
  readonly passwordErrors: (orgId: OrgId) => Promise<'perRule' | 'single'>;
  readonly rolesOf: (db: Db, orgId: OrgId, userId: string) => Promise<readonly string[]>;
  /** Throws when the user is the org's last super administrator. */
  readonly assertNotLastSuperAdmin: (tx: Tx, orgId: OrgId, userId: string) => Promise<void>;
  /** `limited`: the address had too many of late, and this one is left out. */
  readonly queueMail: (tx: Tx, context: Context, mail: UserMail) => Promise<'queued' | 'limited'>;
}
