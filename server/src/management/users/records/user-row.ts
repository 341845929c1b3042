import type { UserStatus } from '../../../kernel/user-statuses.ts';
import type { StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import type { UserProfile } from '../profile/profile.ts';

/** A stored user: the versioned row, and beside it the volatile state that no entity tag covers. */
export interface UserRow {
  readonly id: string;
  readonly typeId: string;
  readonly status: UserStatus;
  readonly statusBeforeSuspension: UserStatus | null;
  readonly login: string;
  readonly profile: UserProfile;
  readonly providerType: ProviderType;
  /** Name of a foreign provider; for this service, the wire shows the namespace word. */
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
  /** An address that its owner set without proof; null when there is none. */
  readonly unprovedEmail: string | null;
}

/** `INTERNAL` is this service itself; the edge writes the namespace word in its place. */
export const PROVIDER_TYPES = ['INTERNAL', 'ACTIVE_DIRECTORY', 'LDAP', 'FEDERATION', 'SOCIAL', 'IMPORT'] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

/** Whether the password is stored here; another provider's can't be recovered here. */
export const ownsPassword = ({ providerType }: Pick<UserRow, 'providerType'>): boolean =>
  providerType === 'INTERNAL' || providerType === 'IMPORT';

/** The user's passwords: the current hash, and those that must not be repeated, newest first. */
export interface PasswordState {
  readonly current: StoredPassword | null;
  readonly history: readonly StoredPassword[];
  /** Ordinal of the newest entry, which shows whether the password was changed in between. */
  readonly ordinal: number;
  readonly failedAttempts: number;
}
