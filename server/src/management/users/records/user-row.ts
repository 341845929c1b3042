import type { UserStatus } from '../../../kernel/user-statuses.ts';
import type { StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import type { UserProfile } from '../profile/profile.ts';

/** A stored user. The entity tag does not cover `lastLoginAt`. */
export interface UserRow {
  readonly id: string;
  readonly typeId: string;
  readonly status: UserStatus;
  readonly statusBeforeSuspension: UserStatus | null;
  readonly login: string;
  readonly profile: UserProfile;
  readonly providerType: ProviderType;
  /** The name of the provider; empty if the provider is this service. */
  readonly providerName: string;
  readonly hasPassword: boolean;
  readonly recoveryQuestion: string | null;
  readonly createdAt: Date;
  readonly activatedAt: Date | null;
  readonly statusChangedAt: Date | null;
  readonly lastUpdatedAt: Date;
  readonly passwordChangedAt: Date | null;
  readonly revision: number;
  readonly lastLoginAt: Date | null;
  /** The email address that the user has not verified; null if there is none. */
  readonly unprovedEmail: string | null;
}

/** `INTERNAL` is this service itself. Requests and responses contain the namespace word in capitals instead. */
export const PROVIDER_TYPES = ['INTERNAL', 'ACTIVE_DIRECTORY', 'LDAP', 'FEDERATION', 'SOCIAL', 'IMPORT'] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

/** Returns whether this service stores the user's password, if the user has one. */
export const ownsPassword = ({ providerType }: Pick<UserRow, 'providerType'>): boolean =>
  providerType === 'INTERNAL' || providerType === 'IMPORT';

/** `history` contains the hashes of the remembered passwords, newest first. */
export interface PasswordState {
  readonly current: StoredPassword | null;
  readonly history: readonly StoredPassword[];
  /** The ordinal of the newest entry. If a second reading returns another one, the password has changed in between. */
  readonly ordinal: number;
  readonly failedAttempts: number;
}
