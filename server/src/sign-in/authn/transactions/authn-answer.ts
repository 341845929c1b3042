import type { PasswordPolicy, UserRow } from '../../../management/users/index.ts';
import type { ShownFactors } from '../factors/shown-factors.ts';
import type { AuthnState } from '../lifecycle.ts';
import type { Cause } from '../rules.ts';

/** The user is signed in. The token can be exchanged for one session. */
export interface SignedIn {
  readonly status: 'SUCCESS';
  readonly sessionToken: string;
  readonly expiresAt: Date;
  readonly user: UserRow;
  readonly relayState: string | null;
}

/** The account is unlocked, but its owner is not signed in. */
export interface Unlocked {
  readonly status: 'UNLOCKED';
  readonly relayState: string | null;
}

export interface UnderWay {
  readonly status: AuthnState;
  readonly stateToken: string;
  readonly expiresAt: Date;
  readonly user: UserRow;
  readonly policy: PasswordPolicy;
  readonly cause: Cause;
  /** The number of days until the password expires. It is null if no warning is due. */
  readonly passwordExpireDays: number | null;
  readonly relayState: string | null;
  /** The second factors that the state shows. It is null in states without them. */
  readonly factors: ShownFactors | null;
}

/**
 * The password is set, but its owner is not signed in. The policy demands a second factor, and the mailbox, which has
 * led to the password, does not also lead to a factor in the same sitting.
 */
export interface PasswordSet {
  readonly status: 'PASSWORD_SET';
  readonly relayState: string | null;
}

/** This result is returned only if the policy allows lockouts to be shown. */
export interface ShownLockout {
  readonly status: 'LOCKED_OUT';
}

/** An email may be on its way. The result does not reveal whether the user exists. */
export interface RecoveryMailed {
  readonly status: 'RECOVERY_CHALLENGE';
  readonly recoveryType: 'PASSWORD' | 'UNLOCK';
  readonly relayState: string | null;
}

export interface RecoveryHandedOut {
  readonly status: 'RECOVERY_TOKEN';
  readonly recoveryType: 'PASSWORD' | 'UNLOCK';
  readonly recoveryToken: string;
  readonly expiresAt: Date;
  readonly user: UserRow;
  readonly relayState: string | null;
}

/** The result of a right password: a session token, or the step that the policy demands before it. */
export type FirstFactorAnswer = SignedIn | UnderWay | PasswordSet;

export type AuthnAnswer = FirstFactorAnswer | Unlocked | ShownLockout | RecoveryMailed | RecoveryHandedOut;
