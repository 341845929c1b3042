import { isDeepStrictEqual } from 'node:util';
import { type Context, userIdOf } from '../../../kernel/context.ts';
import { apiError, invalid } from '../../../kernel/errors/errors.ts';
import { notValid, required } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { PasswordPolicy } from '../../../kernel/words/password-policy.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { allForeseen, foresee, foreseen, needOwnTransaction, type Tx } from '../../../platform/postgres/index.ts';
import { lockSchemaForWrite, lockSchemaOfUser } from '../../schemas/index.ts';
import { storeRecoveryAnswer } from '../account/sign-in-store.ts';
import type { UpdateUserInput } from '../contract.ts';
import { eventOf, movedTo } from '../lifecycle/change-status.ts';
import { nextStatus } from '../lifecycle/lifecycle.ts';
import { type NewCredentials, readCredentials, readProvider, vouchedFor } from '../passwords/new-credentials.ts';
import {
  assertNotReused,
  assertOldEnough,
  changedMeanwhile,
  keepsSessions,
  type NamedOwner,
  providerAfter,
} from '../passwords/password-changes.ts';
import { findPasswordState, storePassword } from '../passwords/password-store.ts';
import type { UsersPorts } from '../ports.ts';
import { assertMayWrite, keptBehind } from '../profile/attribute-limits.ts';
import type { ChangedSchemas } from '../profile/attribute-values.ts';
import { askForProof, forgetWanted, type PendingAddress, withheldAddresses } from '../profile/pending-addresses.ts';
import { assertMutable, assertProfile, mergeProfile, replaceProfile } from '../profile/profile.ts';
import { unprovedEmailAfter } from '../profile/proved-address.ts';
import { assertOwnWrite, type Owner } from '../profile/self-view.ts';
import { updateLockedUser } from '../store.ts';
import { lifecycleUserOf, userVersion } from '../wire.ts';
import { passwordChange, profileChange, typeChange } from './change-details.ts';
import { assertMaySetCredentials, lockUser, resolveUserId, userToSetCredentialsOf } from './guards.ts';
import type { UserRow } from './user-row.ts';

export interface UpdateUserOptions {
  /** POST merges the given profile into the stored one; PUT replaces the stored one. */
  readonly mode: 'merge' | 'replace';
  /** Whether the password policy's minimum age and history are enforced. */
  readonly strict: boolean;
  /** Sessions can survive a new password only if this is false (see `keepsSessions`). */
  readonly revokeSessions?: boolean | undefined;
  /** This is set when users change their own profile on the account page. */
  readonly owner?: Owner;
}

const FORESEEN_SCHEMA = 'schema of the user';

interface Prepared {
  readonly credentials: NewCredentials;
  readonly policy: PasswordPolicy;
  /** The ordinal of the newest remembered password when the history was checked; null when it was not checked. */
  readonly checkedOrdinal: number | null;
  readonly revokeSessions: boolean | undefined;
}

/** Drops a recovery question that the body repeats without its answer, because clients send whole users back. */
function givenCredentials(input: UpdateUserInput, user: UserRow): UpdateUserInput['credentials'] {
  const { recovery_question: question, ...others } = input.credentials ?? {};
  const isReadBack = question?.answer === undefined && question?.question === user.recoveryQuestion;
  return isReadBack ? others : input.credentials;
}

function ownerAfter(context: Context, user: UserRow, input: UpdateUserInput, { mode }: UpdateUserOptions): NamedOwner {
  const kept = mode === 'replace' ? keptBehind(context, user.profile) : user.profile;
  const profile: NamedOwner['profile'] = { ...kept, ...input.profile };
  return { login: typeof profile['login'] === 'string' ? profile['login'] : user.login, profile };
}

/** Checks and hashes the credentials before the transaction, because hashing is slow. */
async function prepare(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  userId: string,
  input: UpdateUserInput,
  options: UpdateUserOptions,
): Promise<Prepared> {
  const { revokeSessions } = options;
  const policy = await ports.passwordPolicyFor(context.orgId, { id: userId });
  const none = { password: null, imported: false, recoveryQuestion: null, recoveryAnswer: null };
  if (input.credentials === undefined) return { credentials: none, policy, checkedOrdinal: null, revokeSessions };
  const compared = options.strict ? input.credentials.password?.value : undefined;
  // The password is read first. If it changes before the user is read, If-Match no longer names the user's version.
  const state =
    compared === undefined ? null : await findPasswordState(ports.db, context.orgId, userId, policy.age.historyCount);
  const user = await userToSetCredentialsOf(ports, context, grant, userId);
  if (state !== null) assertVersion(context, userVersion(user));
  const owner = ownerAfter(context, user, input, options);
  const credentials = await readCredentials(ports, context, policy, givenCredentials(input, user), owner);
  if (state === null || compared === undefined) return { credentials, policy, checkedOrdinal: null, revokeSessions };
  assertOldEnough(policy, user, context.now);
  await assertNotReused(ports, context, policy, state, compared);
  return { credentials, policy, checkedOrdinal: state.ordinal, revokeSessions };
}

function assertSupported(input: UpdateUserInput, user: UserRow, options: UpdateUserOptions): void {
  if (input.realmId !== undefined) throw invalid('realmId', 'must be absent: realms are not supported yet.');
  const typeId = input.type?.id;
  if (typeId !== undefined && typeId !== user.typeId && options.mode === 'merge') {
    throw invalid('type', 'The type of a user can only be changed by PUT.');
  }
  if (user.status === 'DEPROVISIONED') throw apiError('E0000038');
}

interface Profiled {
  readonly row: UserRow;
  readonly schemas: ChangedSchemas;
  readonly wanted: readonly PendingAddress[];
}

async function profileAfter(
  ports: UsersPorts,
  tx: Tx,
  context: Context,
  user: UserRow,
  input: UpdateUserInput,
  options: UpdateUserOptions,
): Promise<Profiled> {
  const former = await foreseen(tx, FORESEEN_SCHEMA, () => lockSchemaOfUser(tx, context.orgId, user.id));
  const isSameType = input.type === undefined || input.type.id === user.typeId;
  const schema = isSameType ? former : await lockSchemaForWrite(tx, context.orgId, input.type?.id ?? null);
  if (schema === null) throw notValid('type');
  if (options.mode === 'replace' && input.profile === undefined) throw required('profile');
  const read = input.profile ?? {};
  const given = options.mode === 'replace' ? { ...keptBehind(context, user.profile), ...read } : read;
  const whole =
    options.mode === 'merge'
      ? mergeProfile(user.profile, given, schema.schema)
      : replaceProfile(given, schema.schema, user.profile);
  assertMutable(user.profile, whole, schema.schema);
  const profile = assertProfile(whole, schema.schema, 'profile', user.profile);
  if (options.owner === undefined) assertMayWrite(context, user.profile, profile);
  else assertOwnWrite(options.owner, user.profile, given, schema.schema);
  const schemas = { before: former?.schema ?? schema.schema, after: schema.schema };
  const isOwner = options.owner !== undefined || userIdOf(context.principal) === user.id;
  const { profile: kept, wanted } = isOwner ? withheldAddresses(user.profile, profile) : { profile, wanted: [] };
  const unprovedEmail = unprovedEmailAfter(user, { profile: kept });
  const row = { ...user, profile: kept, unprovedEmail, login: profile.login, typeId: schema.typeId };
  return { row, schemas, wanted };
}

async function applyCredentials(
  tx: Tx,
  context: Context,
  user: UserRow,
  input: UpdateUserInput,
  prepared: Prepared,
): Promise<UserRow> {
  const { credentials, policy } = prepared;
  let after = user;
  if (input.credentials?.provider !== undefined && !credentials.imported) {
    const provider = readProvider(context, input.credentials.provider);
    if (provider.providerType !== 'INTERNAL' && provider.providerType !== user.providerType) {
      throw invalid('credentials.provider', 'cannot be changed by an update.');
    }
  }
  if (credentials.password !== null) {
    if (lifecycleUserOf(user).signsInElsewhere) throw vouchedFor();
    if (credentials.imported && user.status !== 'STAGED') {
      throw invalid('credentials.password.hash', 'can only be set while the user is STAGED.');
    }
    const status = nextStatus(lifecycleUserOf(user), 'adminSetPassword') ?? user.status;
    if (prepared.checkedOrdinal !== null) {
      const state = await findPasswordState(tx, context.orgId, user.id, policy.age.historyCount);
      if (state.ordinal !== prepared.checkedOrdinal) throw changedMeanwhile();
    }
    await storePassword(tx, context.orgId, user.id, credentials.password, context.now, {
      historyCount: policy.age.historyCount,
      keepsSessions: keepsSessions(user, prepared.revokeSessions),
    });
    const changedAt = wholeSecond(context.now);
    const imported = { providerType: 'IMPORT', providerName: 'IMPORT' } as const;
    const provider = credentials.imported ? imported : providerAfter(user);
    after = { ...movedTo(after, status, context), ...provider, hasPassword: true, passwordChangedAt: changedAt };
  }
  if (credentials.recoveryQuestion === null || credentials.recoveryAnswer === null) return after;
  await storeRecoveryAnswer(tx, context.orgId, user.id, credentials.recoveryAnswer);
  return { ...after, recoveryQuestion: credentials.recoveryQuestion };
}

/** An update that changes nothing keeps the entity tag. */
export async function updateUserProfile(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
  input: UpdateUserInput,
  options: UpdateUserOptions,
): Promise<UserRow> {
  const userId = await resolveUserId(ports.db, context, idOrLogin, grant);
  const prepared = await prepare(ports, context, grant, userId, input, options);
  // A larger update may wait for locks or hold them for a long time, so it gets a transaction of its own.
  const isSmall = [input.credentials, input.type, options.owner].every((given) => given === undefined);
  const work: UsersPorts['work'] =
    isSmall && input.profile !== undefined ? (given, run) => ports.sharedWork(given, userId, run) : ports.work;
  return work(context, async (tx, record) => {
    const locked = lockUser(ports, tx, context, grant, userId);
    // These statements are sent together with the lock but run after it is taken, so they read current data.
    foresee(tx, FORESEEN_SCHEMA, () => lockSchemaOfUser(tx, context.orgId, userId));
    // A change to a schema locks the schema before the group rules. A change of the user's type must keep this order
    // for the schema of the new type, so the rules are locked early only if the type stays the same.
    if (input.profile !== undefined && input.type === undefined) ports.foreseeUpdate(tx, context.orgId, userId);
    const user = await locked;
    assertVersion(context, userVersion(user));
    assertSupported(input, user, options);
    if (input.credentials !== undefined) await assertMaySetCredentials(tx, context, user.id);
    const profiled = await profileAfter(ports, tx, context, user, input, options);
    const credentialed = await applyCredentials(tx, context, profiled.row, input, prepared);
    if (profiled.wanted.length > 0) needOwnTransaction(tx);
    for (const one of profiled.wanted) await askForProof(ports, tx, context, user, one);
    const hasNewPassword = prepared.credentials.password !== null;
    if (!hasNewPassword && prepared.credentials.recoveryAnswer === null && isDeepStrictEqual(credentialed, user)) {
      return user;
    }
    const after = { ...credentialed, lastUpdatedAt: wholeSecond(context.now) };
    await allForeseen(tx);
    const changed = await updateLockedUser(tx, context.orgId, user, after, profiled.schemas);
    await forgetWanted(tx, context.orgId, user, changed);
    if (changed.typeId !== user.typeId) {
      record({ eventType: 'user.account.update_user_type', target: [typeChange([user, changed])] });
    }
    const target = profileChange(user, changed);
    if (target !== null) record({ eventType: 'user.account.update_profile', target: [target] });
    if (hasNewPassword) record({ eventType: eventOf('adminSetPassword'), target: [passwordChange([user, changed])] });
    return changed;
  });
}
