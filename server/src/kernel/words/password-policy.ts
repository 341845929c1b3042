/** The settings of a password policy. In `complexity`, `age` and `lockout`, zero turns a rule off. */
export interface PasswordPolicy {
  readonly complexity: {
    readonly minLength: number;
    readonly minLowerCase: number;
    readonly minUpperCase: number;
    readonly minNumber: number;
    readonly minSymbol: number;
    readonly excludeUsername: boolean;
    readonly excludeAttributes: readonly ('firstName' | 'lastName')[];
    readonly dictionary: { readonly common: { readonly exclude: boolean } };
    readonly maxConsecutiveCharacters: number;
  };
  readonly age: {
    readonly maxAgeDays: number;
    readonly expireWarnDays: number;
    readonly minAgeMinutes: number;
    readonly historyCount: number;
  };
  readonly lockout: {
    readonly maxAttempts: number;
    readonly autoUnlockMinutes: number;
    readonly showLockoutFailures: boolean;
    readonly userLockoutNotificationChannels: readonly 'EMAIL'[];
  };
  readonly recovery: {
    readonly question: { readonly isActive: boolean; readonly minLength: number };
    readonly email: { readonly isActive: boolean; readonly tokenLifetimeMinutes: number };
  };
}

export interface PasswordSubject {
  /** This is null for a user who is unknown or not created yet. */
  readonly id: string | null;
  /** The type of the user's provider. An absent type counts as `INTERNAL`. */
  readonly providerType?: string;
  readonly groupIds?: readonly string[];
}
