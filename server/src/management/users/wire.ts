import type { Context } from '../../kernel/context.ts';
import { wireDate, wireDateOrNull } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import type { Target } from '../../system-log/index.ts';
import { type LifecycleUser, type UserAction, userLinkRelations } from './lifecycle/lifecycle.ts';
import { shownProfile } from './profile/attribute-limits.ts';
import { ALWAYS_PRINTED, type ProfileValue } from './profile/profile.ts';
import { ownsPassword, type UserRow } from './records/user-row.ts';

export const lifecycleUserOf = (user: UserRow): LifecycleUser => ({
  status: user.status,
  statusBeforeSuspension: user.statusBeforeSuspension,
  hasPassword: user.hasPassword,
  hasRecoveryQuestion: user.recoveryQuestion !== null,
  signsInElsewhere: user.providerType === 'FEDERATION' || user.providerType === 'SOCIAL',
  ownsPassword: ownsPassword(user),
});

function wireProfile(profile: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const printed = ALWAYS_PRINTED.map((name): [string, unknown] => [name, profile[name] ?? null]);
  const others = Object.entries(profile).filter(([, value]) => value !== null);
  // Unlike an assignment, `fromEntries` creates a member even for an attribute called `__proto__`.
  return Object.fromEntries([...printed, ...others]);
}

const MAIL_ADDRESSES = [
  { name: 'email', type: 'PRIMARY' },
  { name: 'secondEmail', type: 'SECONDARY' },
] as const;

/** Renders the email addresses that the caller sees in the profile, and whether they count as verified (ADR 0051). */
function wireEmails(user: UserRow, context: Context): readonly Record<string, unknown>[] {
  const profile = shownProfile(context, user.id, user.profile);
  return MAIL_ADDRESSES.flatMap(({ name, type }) => {
    const value = profile[name];
    if (typeof value !== 'string' || value === '') return [];
    return [{ value, status: value === user.unprovedEmail ? 'UNVERIFIED' : 'VERIFIED', type }];
  });
}

export function wireCredentials(user: UserRow, context: Context): Record<string, unknown> {
  const internal = user.providerType === 'INTERNAL';
  const emails = wireEmails(user, context);
  return {
    ...(user.hasPassword ? { password: {} } : {}),
    ...(emails.length === 0 ? {} : { emails }),
    ...(user.recoveryQuestion === null ? {} : { recovery_question: { question: user.recoveryQuestion } }),
    provider: {
      type: internal ? context.namespace.upper : user.providerType,
      name: internal ? context.namespace.upper : user.providerName,
    },
  };
}

const addressOf = (user: UserRow, context: Context): string => `${context.baseUrl}/api/v1/users/${user.id}`;

function wireLinks(user: UserRow, context: Context, schemaId: string): Record<string, unknown> {
  const address = addressOf(user, context);
  const links: Record<string, unknown> = {};
  for (const { relation, method, path } of userLinkRelations(lifecycleUserOf(user))) {
    links[relation] = { href: path === '' ? address : `${address}/${path}`, method };
  }
  links['self'] = { href: address };
  links['schema'] = { href: `${context.baseUrl}/api/v1/meta/schemas/user/${schemaId}` };
  links['type'] = { href: `${context.baseUrl}/api/v1/meta/types/user/${user.typeId}` };
  return links;
}

const base = (user: UserRow, context: Context) => ({
  id: user.id,
  status: user.status,
  created: wireDate(user.createdAt),
  activated: wireDateOrNull(user.activatedAt),
  statusChanged: wireDateOrNull(user.statusChangedAt),
  lastLogin: wireDateOrNull(user.lastLoginAt),
  lastUpdated: wireDate(user.lastUpdatedAt),
  passwordChanged: wireDateOrNull(user.passwordChangedAt),
  type: { id: user.typeId },
  profile: wireProfile(shownProfile(context, user.id, user.profile)),
});

const CREDENTIAL_LINKS = [
  'resetPassword',
  'expirePassword',
  'forgotPassword',
  'changePassword',
  'changeRecoveryQuestion',
];

/** `closed` excludes links, and `omit` can exclude the credentials and their links. */
export function wireUser(
  user: UserRow,
  context: Context,
  schemaId: string,
  { closed, omit }: { readonly omit: ReadonlySet<string>; readonly closed: readonly UserAction[] },
): Record<string, unknown> {
  const links = wireLinks(user, context, schemaId);
  for (const relation of closed) delete links[relation];
  if (omit.has('omitCredentialsLinks')) for (const relation of CREDENTIAL_LINKS) delete links[relation];
  return {
    ...base(user, context),
    ...(omit.has('omitCredentials') ? {} : { credentials: wireCredentials(user, context) }),
    _links: links,
  };
}

/** Renders a user in a list, with only the `self` link (specification 2.2; contract section 4). */
export const wireListedUser = (
  user: UserRow,
  context: Context,
  omit: ReadonlySet<string>,
): Record<string, unknown> => ({
  ...base(user, context),
  ...(omit.has('omitCredentials') ? {} : { credentials: wireCredentials(user, context) }),
  _links: { self: { href: addressOf(user, context) } },
});

export interface NamedProfile {
  readonly login: string;
  readonly firstName?: ProfileValue;
  readonly lastName?: ProfileValue;
}

export const displayNameOf = (profile: NamedProfile): string => {
  const name = [profile.firstName, profile.lastName].filter((part) => typeof part === 'string' && part !== '');
  return name.length > 0 ? name.join(' ') : profile.login;
};

export const localeOf = (profile: UserRow['profile']): string | null => {
  const { locale } = profile;
  return typeof locale === 'string' && locale !== '' ? locale : null;
};

export const userVersion = ({ id, revision }: UserRow): Version => ({ kind: 'user', id, revision });

export const namedUserTarget = (user: {
  readonly id: string;
  readonly login: string;
  readonly profile: NamedProfile;
}): Target => ({
  id: user.id,
  type: 'User',
  alternateId: user.login,
  displayName: displayNameOf(user.profile),
});

export const userTarget = (user: UserRow): Target => namedUserTarget(user);
