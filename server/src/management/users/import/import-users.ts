import { isDeepStrictEqual } from 'node:util';
import { holdersAmong } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { ApiError, type ErrorCause, invalid } from '../../../kernel/errors/errors.ts';
import { notValid, taken } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { loginKey } from '../../../kernel/texts/text.ts';
import type { ImportStatus } from '../../../kernel/user-statuses.ts';
import { orgSuffixOf, risingIds } from '../../../kernel/words/ids.ts';
import type { StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record as RecordEvent } from '../../../system-log/index.ts';
import { type LockedSchema, lockSchemaForWrite, type ProfileInput } from '../../schemas/index.ts';
import { forgetWanted } from '../profile/pending-addresses.ts';
import { assertMutable, assertProfile, mergeProfile, replaceProfile } from '../profile/profile.ts';
import { unprovedEmailAfter } from '../profile/proved-address.ts';
import { accountChange, profileChange, userChange } from '../records/change-details.ts';
import type { NewUser } from '../records/new-user-store.ts';
import type { UserRow } from '../records/user-row.ts';
import { updateUser } from '../store.ts';
import { findUsersByLogins, insertUsers } from './bulk-store.ts';
import { importStatuses } from './import-rules.ts';

export interface ImportedUser {
  /** The schema of the user's type decides which strings become numbers, booleans or lists. */
  readonly profileFor: (schema: LockedSchema['schema']) => ProfileInput;
  /** The type of a new user; null means the default type. */
  readonly typeId: string | null;
  /** Null means ACTIVE for a user with a password and STAGED for a user without one. */
  readonly status: ImportStatus | null;
  readonly password: StoredPassword | null;
  /** Whether the file says that the email address is verified. */
  readonly isEmailVerified: boolean;
}

/** `userId` is null for a user whom the import would create if it wrote anything. */
export type ImportOutcome =
  | { readonly kind: 'created' | 'updated' | 'unchanged' | 'skipped'; readonly userId: string | null }
  | { readonly kind: 'refused'; readonly causes: readonly ErrorCause[] };

export interface ImportMode {
  readonly existing: 'skip' | 'update' | 'refuse';
  /**
   * Whether the import may change administrators. Somebody could have registered under an administrator's name in the
   * system from which the file comes. That person would then receive the recovery emails of the administrator's
   * account.
   */
  readonly administrators: boolean;
  /** If false, the import only reports what would happen. */
  readonly writes: boolean;
}

export interface ImportPass {
  readonly tx: Tx;
  readonly context: Context;
  readonly record: RecordEvent;
  readonly mode: ImportMode;
}

function newUserOf(context: Context, id: string, user: ImportedUser, { schema, typeId }: LockedSchema): NewUser {
  const profile = assertProfile(replaceProfile(user.profileFor(schema), schema), schema, 'newUser');
  const status = user.status ?? (user.password === null ? 'STAGED' : 'ACTIVE');
  const problem = importStatuses[status].refusal(user.password !== null);
  if (problem !== null) throw invalid('status', problem);
  const now = wholeSecond(context.now);
  const changed = status === 'STAGED' ? null : now;
  const imported = user.password !== null;
  return {
    id,
    typeId,
    schema,
    status,
    statusBeforeSuspension: status === 'SUSPENDED' ? (imported ? 'ACTIVE' : 'PROVISIONED') : null,
    login: profile.login,
    profile,
    providerType: imported ? 'IMPORT' : 'INTERNAL',
    providerName: imported ? 'IMPORT' : '',
    hasPassword: imported,
    recoveryQuestion: null,
    createdAt: now,
    activatedAt: status === 'DEPROVISIONED' ? null : changed,
    statusChangedAt: changed,
    lastUpdatedAt: now,
    passwordChangedAt: imported ? now : null,
    revision: 1,
    lastLoginAt: null,
    unprovedEmail: user.isEmailVerified ? null : profile.email,
    password: user.password,
    recoveryAnswer: null,
  };
}

/** Records the events that would occur if the API created the user and then moved them to their status. */
function recordCreation(record: RecordEvent, user: NewUser): void {
  record({ eventType: 'user.lifecycle.create', target: [userChange([null, user])] });
  let before: UserRow = { ...user, status: 'STAGED' };
  for (const { event: eventType, to } of importStatuses[user.status as ImportStatus].steps) {
    const after = { ...user, status: to ?? user.statusBeforeSuspension ?? user.status };
    record({ eventType, target: [accountChange([before, after])] });
    before = after;
  }
}

/** The result contains null for a type that does not exist. */
async function schemasFor(
  { context, tx }: ImportPass,
  typeIds: ReadonlySet<string | null>,
): Promise<ReadonlyMap<string | null, LockedSchema | null>> {
  const schemas = new Map<string | null, LockedSchema | null>();
  const ordered = [...typeIds].toSorted((left, right) => ((left ?? '') < (right ?? '') ? -1 : 1));
  for (const typeId of ordered) schemas.set(typeId, await lockSchemaForWrite(tx, context.orgId, typeId));
  return schemas;
}

interface Draft {
  readonly index: number;
  readonly user: ImportedUser;
  readonly current: UserRow | undefined;
  readonly isAdministrator: boolean;
}

const guarded = (): ApiError =>
  invalid('login', 'belongs to an administrator. Only --administrators changes administrators.');

async function change(
  pass: ImportPass,
  { current, isAdministrator, user }: Draft,
  { schema }: LockedSchema,
): Promise<ImportOutcome> {
  const { context, mode, record, tx } = pass;
  if (current === undefined) throw new Error('nobody to change');
  if (current.status === 'DEPROVISIONED') throw invalid('login', 'belongs to a deactivated user.');
  const whole = mergeProfile(current.profile, user.profileFor(schema), schema);
  const profile = assertProfile(whole, schema, 'profile', current.profile);
  assertMutable(current.profile, profile, schema);
  const unprovedEmail = user.isEmailVerified ? unprovedEmailAfter(current, { profile }) : profile.email;
  const isSame = isDeepStrictEqual(profile, current.profile) && unprovedEmail === current.unprovedEmail;
  if (isSame) return { kind: 'unchanged', userId: current.id };
  if (isAdministrator && !mode.administrators) throw guarded();
  if (!mode.writes) return { kind: 'updated', userId: current.id };
  const after = { ...current, profile, unprovedEmail, login: profile.login, lastUpdatedAt: wholeSecond(context.now) };
  const changed = await updateUser(tx, context.orgId, current, after, { before: schema, after: schema });
  await forgetWanted(tx, context.orgId, current, changed);
  const target = profileChange(current, changed);
  if (target !== null) record({ eventType: 'user.account.update_profile', target: [target] });
  return { kind: 'updated', userId: current.id };
}

const refusedBy = (error: unknown): ImportOutcome => {
  if (error instanceof ApiError && error.status < 500) return { kind: 'refused', causes: error.causes };
  throw error;
};

async function importDistinct(pass: ImportPass, drafts: readonly Draft[], outcomes: ImportOutcome[]): Promise<void> {
  const { context, mode, tx } = pass;
  const typeOf = ({ current, user }: Draft): string | null => current?.typeId ?? user.typeId;
  const schemas = await schemasFor(pass, new Set(drafts.map(typeOf)));
  const created: { readonly index: number; readonly user: NewUser }[] = [];
  const nextId = risingIds('user', orgSuffixOf(context.orgId), context.now);
  for (const draft of drafts) {
    const { current, index, user } = draft;
    try {
      const schema = schemas.get(typeOf(draft)) ?? null;
      if (schema === null) throw notValid('type');
      if (current !== undefined && mode.existing === 'refuse') throw taken('login');
      if (current !== undefined && mode.existing === 'skip') outcomes[index] = { kind: 'skipped', userId: current.id };
      else if (current !== undefined) outcomes[index] = await change(pass, draft, schema);
      else created.push({ index, user: newUserOf(context, nextId(), user, schema) });
    } catch (error) {
      outcomes[index] = refusedBy(error);
    }
  }
  const users = created.map(({ user }) => user);
  const insertion = mode.writes ? await insertUsers(tx, context.orgId, users) : null;
  for (const { index, user } of created) {
    const isThere = insertion?.inserted.has(user.id);
    if (isThere === false) outcomes[index] = refusedBy(insertion?.refused.get(user.id) ?? taken('login'));
    else outcomes[index] = { kind: 'created', userId: insertion === null ? null : user.id };
    if (isThere === true) recordCreation(pass.record, user);
  }
}

/**
 * Splits users into rounds in which each login occurs only once. If a login occurs again, a later round finds the user
 * whom an earlier round stored.
 */
function roundsOf(users: readonly ImportedUser[], logins: readonly (string | null)[]): number[][] {
  const seen = new Map<string, number>();
  const rounds: number[][] = [];
  users.forEach((_, index) => {
    const key = loginKey(logins[index] ?? '');
    const round = logins[index] === null ? 0 : (seen.get(key) ?? 0);
    seen.set(key, round + 1);
    rounds[round] = [...(rounds[round] ?? []), index];
  });
  return rounds;
}

/**
 * Returns the results in the order of the users. `logins` holds the login of each user, or null for a user without one.
 * Existing users keep their passwords and statuses.
 */
export async function importUsers(
  pass: ImportPass,
  users: readonly ImportedUser[],
  logins: readonly (string | null)[],
): Promise<readonly ImportOutcome[]> {
  const outcomes: ImportOutcome[] = [];
  const lock = pass.mode.writes && pass.mode.existing === 'update' ? 'locked' : 'unlocked';
  for (const round of roundsOf(users, logins)) {
    const asked = round.flatMap((index) => logins[index] ?? []);
    const found = await findUsersByLogins(pass.tx, pass.context.orgId, asked, lock);
    const foundIds = found.map(({ id }) => id);
    const mayChange = pass.mode.existing === 'update' && foundIds.length > 0;
    const administrators = mayChange ? await holdersAmong(pass.tx, pass.context.orgId, foundIds) : new Set<string>();
    const byLogin = new Map(found.map((user) => [loginKey(user.login), user]));
    const drafts = round.flatMap((index): Draft[] => {
      const user = users[index];
      const current = byLogin.get(loginKey(logins[index] ?? ''));
      const isAdministrator = current !== undefined && administrators.has(current.id);
      return user === undefined ? [] : [{ index, user, current, isAdministrator }];
    });
    await importDistinct(pass, drafts, outcomes);
  }
  return outcomes;
}
