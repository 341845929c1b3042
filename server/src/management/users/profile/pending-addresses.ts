import { admits, hasGainedRights } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import type { Record as RecordEvent } from '../../../system-log/index.ts';
import { lockSchemaForWrite } from '../../schemas/index.ts';
import type { UsersPorts } from '../ports.ts';
import { profileChange } from '../records/change-details.ts';
import { findUserForUpdate } from '../records/locked-user-store.ts';
import type { UserRow } from '../records/user-row.ts';
import {
  dropRecoveryTokensOf,
  findMailedTo,
  findRecoveryToken,
  type RecoveryTokenKind,
  useRecoveryToken,
} from '../recovery/recovery-token-store.ts';
import { issueAddressToken } from '../recovery/recovery-tokens.ts';
import { updateUser } from '../store.ts';
import { displayNameOf, localeOf } from '../wire.ts';
import { assertProfile, mergeProfile, type UserProfile } from './profile.ts';
import { isOwnToWrite } from './self-view.ts';

const PROVED = { email: 'EMAIL', secondEmail: 'SECOND_EMAIL' } as const satisfies Record<string, RecoveryTokenKind>;
export type ProvedAttribute = keyof typeof PROVED;
const ATTRIBUTES = Object.keys(PROVED) as ProvedAttribute[];

export interface PendingAddress {
  readonly attribute: ProvedAttribute;
  readonly address: string;
}

/** Splits a change into the part that applies immediately and the addresses that the owner has to verify first. */
export function withheldAddresses(
  before: UserProfile,
  after: UserProfile,
): { readonly profile: UserProfile; readonly wanted: readonly PendingAddress[] } {
  const wanted = ATTRIBUTES.flatMap((attribute): PendingAddress[] => {
    const address = after[attribute];
    const isNew = typeof address === 'string' && address !== '' && address !== before[attribute];
    return isNew ? [{ attribute, address }] : [];
  });
  const names = new Set<string>(wanted.map(({ attribute }) => attribute));
  const kept = Object.entries(before).filter(([name]) => names.has(name));
  const others = Object.entries(after).filter(([name]) => !names.has(name));
  const { email, login } = { ...after, email: names.has('email') ? before.email : after.email };
  return { profile: { ...Object.fromEntries([...others, ...kept]), email, login }, wanted };
}

/** Sends a link to a new address, and a notice to the user's current email address. */
export async function askForProof(
  ports: UsersPorts,
  tx: Tx,
  context: Context,
  user: UserRow,
  { address, attribute }: PendingAddress,
): Promise<void> {
  await issueAddressToken(ports, tx, context, user, PROVED[attribute], address);
  await ports.queueMail(tx, context, {
    kind: 'addressNotice',
    userId: user.id,
    recipient: user.profile.email,
    displayName: displayNameOf(user.profile),
    locale: localeOf(user.profile),
    url: `${context.baseUrl}/account/profile`,
    validMinutes: null,
  });
}

export async function forgetWanted(tx: Tx, orgId: OrgId, before: UserRow, after: UserRow): Promise<void> {
  const changed = ATTRIBUTES.filter((attribute) => before.profile[attribute] !== after.profile[attribute]);
  if (changed.length === 0) return;
  const kinds = changed.map((attribute) => PROVED[attribute]);
  await dropRecoveryTokensOf(tx, orgId, after.id, kinds);
}

export async function pendingAddressesOf(db: Db, context: Context, userId: string): Promise<PendingAddress[]> {
  const mailed = await findMailedTo(db, context.orgId, userId, { kinds: Object.values(PROVED), now: context.now });
  return mailed.flatMap(({ kind, mailedTo }) => {
    const attribute = ATTRIBUTES.find((name) => PROVED[name] === kind);
    return attribute === undefined ? [] : [{ attribute, address: mailedTo }];
  });
}

/** Does nothing if the attribute has no pending address. */
export async function changePendingAddress(
  ports: UsersPorts,
  context: Context,
  userId: string,
  { action, attribute }: { readonly action: 'cancel' | 'resend'; readonly attribute: string },
): Promise<void> {
  await ports.work(context, async (tx) => {
    const user = await findUserForUpdate(tx, context.orgId, userId);
    const pending = (await pendingAddressesOf(tx, context, userId)).find((one) => one.attribute === attribute);
    if (user === undefined || pending === undefined) return;
    if (action === 'resend') await askForProof(ports, tx, context, user, pending);
    else await dropRecoveryTokensOf(tx, context.orgId, userId, [PROVED[pending.attribute]]);
  });
}

/**
 * Sets the address to which the token was sent. Returns false if the token, the user's state or the schema does not
 * permit the change.
 */
async function takeAddress(
  ports: UsersPorts,
  { context, record, tx }: { readonly tx: Tx; readonly record: RecordEvent; readonly context: Context },
  user: UserRow,
  hash: Buffer,
): Promise<boolean> {
  const token = await findRecoveryToken(tx, context.orgId, hash);
  const attribute = ATTRIBUTES.find((name) => PROVED[name] === token?.kind);
  if (token === undefined || attribute === undefined || token.mailedTo === null) return false;
  if (token.expiresAt <= context.now || hasGainedRights(token)) return false;
  if (admits('useSession', { user: { status: user.status } }) !== null) return false;
  const schema = (await lockSchemaForWrite(tx, context.orgId, user.typeId))?.schema;
  const definition = schema?.get(attribute);
  if (schema === undefined || definition === undefined || !isOwnToWrite(definition)) return false;
  if (!(await useRecoveryToken(tx, context.orgId, hash))) return false;
  const whole = mergeProfile(user.profile, { [attribute]: token.mailedTo }, schema);
  const profile = assertProfile(whole, schema, 'profile');
  const unprovedEmail = attribute === 'email' ? null : user.unprovedEmail;
  const after = { ...user, profile, unprovedEmail, lastUpdatedAt: wholeSecond(context.now) };
  const changed = await updateUser(tx, context.orgId, user, after, { before: schema, after: schema });
  const target = profileChange(user, changed);
  if (target !== null) record({ eventType: 'user.account.update_profile', target: [target] });
  return true;
}

/**
 * Sets the pending address whose link was opened, and consumes the link. Returns false if the link, the user's state or
 * the schema does not permit the change.
 */
export async function proveAddress(
  ports: UsersPorts,
  context: Context,
  userId: string,
  hash: Buffer,
): Promise<boolean> {
  return ports.work(context, async (tx, record) => {
    const user = await findUserForUpdate(tx, context.orgId, userId);
    return user !== undefined && takeAddress(ports, { tx, record, context }, user, hash);
  });
}
