import type { StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import type { UserStatus } from '../lifecycle/lifecycle.ts';
import type { UserProfile } from '../profile/profile.ts';

/** A user as stored: the versioned row and, beside it, the volatile state that no entity tag covers. */
export interface UserRow {
  readonly id: string;
  readonly typeId: string;
  readonly status: UserStatus;
  readonly statusBeforeSuspension: UserStatus | null;
  readonly login: string;
  readonly profile: UserProfile;
  readonly providerType: ProviderType;
  /** Name of a provider that is not ours; for ours the wire shows the namespace word. */
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
  /** The address that its owner gave without proof; null: there is none. */
  readonly unprovedEmail: string | null;
}

/** `INTERNAL` is this service itself; the edge writes the namespace word in its place. */
export const PROVIDER_TYPES = ['INTERNAL', 'ACTIVE_DIRECTORY', 'LDAP', 'FEDERATION', 'SOCIAL', 'IMPORT'] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

/** Whether the password is kept here; otherwise another provider's is none of ours to recover. */
export const ownsPassword = ({ providerType }: Pick<UserRow, 'providerType'>): boolean =>
  providerType === 'INTERNAL' || providerType === 'IMPORT';

/** What is known of a user's password: the current hash and those it must not repeat, newest first. */
export interface PasswordState {
  readonly current: StoredPassword | null;
  readonly history: readonly StoredPassword[];
  /** Ordinal of the newest entry; a change made meanwhile shows by it. */
  readonly ordinal: number;
  readonly failedAttempts: number;
}
