import type { Context } from '../../../kernel/context.ts';
import { apiError, invalid } from '../../../kernel/errors/errors.ts';
import { notValid } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { loginKey } from '../../../kernel/texts/text.ts';
import type { UserStatus } from '../../../kernel/user-statuses.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { allForeseen, type Tx } from '../../../platform/postgres/index.ts';
import { createOnce } from '../../resource/index.ts';
import { type LockedSchema, lockSchemaForWrite, MAXIMUM_LOGIN_LENGTH } from '../../schemas/index.ts';
import { foreseeLogin } from '../account/subject-store.ts';
import type { CreateUserInput } from '../contract.ts';
import { readCredentials, readProvider, vouchedFor } from '../passwords/new-credentials.ts';
import type { UsersPorts } from '../ports.ts';
import { assertMayWrite } from '../profile/attribute-limits.ts';
import { assertMutable, assertProfile, replaceProfile, type UserProfile } from '../profile/profile.ts';
import { issueActivationToken } from '../recovery/recovery-tokens.ts';
import { findUserById } from '../store.ts';
import { accountChange, userChange } from './change-details.ts';
import { insertUser, type NewUser } from './new-user-store.ts';
import type { UserRow } from './user-row.ts';

export interface CreateUserOptions {
  /** If false, the user is STAGED. */
  readonly activate: boolean;
  /** Whether `credentials.provider` names the provider that authenticates the user. */
  readonly provider: boolean;
  readonly nextLogin?: 'changePassword' | undefined;
}

function assertSupported(context: Context, input: CreateUserInput, options: CreateUserOptions): void {
  if (input.realmId !== undefined) throw invalid('realmId', 'must be absent: realms are not supported yet.');
  const { providerType } = readProvider(context, input.credentials?.provider);
  const vouches = providerType === 'FEDERATION' || providerType === 'SOCIAL';
  if (options.provider && !vouches) {
    throw invalid('credentials.provider', 'must be FEDERATION or SOCIAL with provider=true.');
  }
  if (!options.provider && providerType !== 'INTERNAL' && providerType !== 'IMPORT') {
    throw invalid('credentials.provider', 'requires the query parameter provider=true.');
  }
  const password = input.credentials?.password;
  if (options.provider && (password?.value ?? password?.hash) !== undefined) {
    throw vouchedFor();
  }
  if (options.nextLogin !== 'changePassword') return;
  if (password?.value === undefined) throw apiError('E0000124');
  if (!options.activate) throw apiError('E0000125');
}

function initialStatus(options: CreateUserOptions, hasPassword: boolean): UserStatus {
  if (!options.activate) return 'STAGED';
  if (options.nextLogin === 'changePassword') return 'PASSWORD_EXPIRED';
  return hasPassword || options.provider ? 'ACTIVE' : 'PROVISIONED';
}

type Draft = Omit<NewUser, 'id' | 'typeId' | 'profile' | 'login' | 'schema'>;

async function draft(
  ports: UsersPorts,
  context: Context,
  input: CreateUserInput,
  options: CreateUserOptions,
): Promise<Draft> {
  const policy = await ports.passwordPolicyFor(context.orgId, { id: null, groupIds: input.groupIds ?? [] });
  const profile = input.profile as UserProfile;
  const login = typeof profile['login'] === 'string' ? profile['login'] : '';
  const credentials = await readCredentials(ports, context, policy, input.credentials, { login, profile });
  const provider = readProvider(context, input.credentials?.provider);
  const status = initialStatus(options, credentials.password !== null);
  const now = wholeSecond(context.now);
  const changed = options.activate ? now : null;
  return {
    status,
    statusBeforeSuspension: null,
    ...provider,
    ...(credentials.imported ? { providerType: 'IMPORT', providerName: 'IMPORT' } : {}),
    hasPassword: credentials.password !== null,
    recoveryQuestion: credentials.recoveryQuestion,
    createdAt: now,
    activatedAt: changed,
    statusChangedAt: changed,
    lastUpdatedAt: now,
    passwordChangedAt: credentials.password === null ? null : now,
    revision: 1,
    lastLoginAt: null,
    unprovedEmail: null,
    password: credentials.password,
    recoveryAnswer: credentials.recoveryAnswer,
  };
}

async function schemaOf(tx: Tx, context: Context, input: CreateUserInput): Promise<LockedSchema> {
  const schema = await lockSchemaForWrite(tx, context.orgId, input.type?.id ?? null);
  if (schema === null) throw notValid('type');
  return schema;
}

/**
 * Throws 403 E0000006 unless the caller may create users everywhere, or adds the user to at least one group and only to
 * groups that the caller's roles cover. Otherwise callers could create users whom they cannot manage.
 */
export function assertMayCreate(grant: Grant, groupIds: readonly string[]): void {
  if (grant.kind === 'all') return;
  const isReached = grant.kind === 'some' && groupIds.length > 0 && groupIds.every((id) => grant.groupIds.includes(id));
  if (!isReached) throw apiError('E0000006');
}

/**
 * Returns a key that users with the same login share. Returns null if the login is too long or not a string, or if the
 * request shows that the creation may wait for other transactions and so needs a transaction of its own.
 */
function sharedKeyOf(context: Context, input: CreateUserInput, { status }: Draft): string | null {
  const login = input.profile['login'];
  const isShort = typeof login === 'string' && login.length <= MAXIMUM_LOGIN_LENGTH;
  const waits = context.idempotency !== null || (input.groupIds ?? []).length > 0 || status === 'PROVISIONED';
  return isShort && !waits ? `login ${loginKey(login)}` : null;
}

/** A repeated `Idempotency-Key` returns the user that the first request created. */
export async function createUser(
  ports: UsersPorts,
  context: Context,
  input: CreateUserInput,
  options: CreateUserOptions,
): Promise<{ user: UserRow; schemaId: string }> {
  assertSupported(context, input, options);
  const drafted = await draft(ports, context, input, options);
  const key = sharedKeyOf(context, input, drafted);
  const work: UsersPorts['work'] = key === null ? ports.work : (given, run) => ports.sharedWork(given, key, run);
  return work(context, async (tx, record) => {
    const id = newId('user', orgSuffixOf(context.orgId));
    const locked = schemaOf(tx, context, input);
    // These statements are sent together with the lock but run after it is taken, so they read current data.
    const login = input.profile['login'];
    if (typeof login === 'string' && login.length <= MAXIMUM_LOGIN_LENGTH)
      foreseeLogin(tx, context.orgId, { id, login });
    // A change or deletion of a group locks the group before the group rules. The creation of a user must keep this
    // order, so it locks the rules early only if the user joins no group.
    if ((input.groupIds ?? []).length === 0) ports.foreseeCreation(tx, context.orgId);
    const { typeId, schemaId, schema } = await locked;
    const given = replaceProfile(input.profile, schema);
    assertMutable(null, given, schema);
    const profile = assertProfile(given, schema, 'newUser');
    assertMayWrite(context, null, profile);
    const user = await createOnce(tx, context, id, findUserById, async () => {
      await allForeseen(tx);
      const made: NewUser = { ...drafted, id, typeId, schema, profile, login: profile.login };
      await insertUser(tx, context.orgId, made);
      record({ eventType: 'user.lifecycle.create', target: [userChange([null, made])] });
      if (options.activate) {
        const staged = { ...made, status: 'STAGED' } as const;
        record({ eventType: 'user.lifecycle.activate', target: [accountChange([staged, made])] });
      }
      await ports.joinGroups(tx, context, record, made.id, input.groupIds ?? []);
      if (made.status === 'PROVISIONED') {
        await issueActivationToken(ports, tx, context, made, { sendMail: true, permission: 'users.create' });
      }
      return made;
    });
    return { user, schemaId };
  });
}
