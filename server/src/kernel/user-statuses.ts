interface UserStatusRow {
  /** Whether users in this status can use their sessions and tokens, and count as holders of their roles. */
  readonly isInUse: boolean;
  /** Whether entering this status voids the sessions and OAuth tokens that the user has. */
  readonly isVoiding: boolean;
  readonly isImportable: boolean;
  /** The reason for refusing an operation that requires another status. */
  readonly refusal: 'USER_STATUS' | 'LOCKED_OUT' | 'PASSWORD_EXPIRED';
}

// biome-ignore format: the columns are the documentation
export const USER_STATUS_ROWS = {
  STAGED:           { isInUse: false, isVoiding: false, isImportable: true,  refusal: 'USER_STATUS' },
  PROVISIONED:      { isInUse: true,  isVoiding: false, isImportable: true,  refusal: 'USER_STATUS' },
  ACTIVE:           { isInUse: true,  isVoiding: false, isImportable: true,  refusal: 'USER_STATUS' },
  RECOVERY:         { isInUse: true,  isVoiding: true,  isImportable: false, refusal: 'USER_STATUS' },
  LOCKED_OUT:       { isInUse: true,  isVoiding: false, isImportable: false, refusal: 'LOCKED_OUT' },
  PASSWORD_EXPIRED: { isInUse: true,  isVoiding: false, isImportable: true,  refusal: 'PASSWORD_EXPIRED' },
  SUSPENDED:        { isInUse: false, isVoiding: true,  isImportable: true,  refusal: 'USER_STATUS' },
  DEPROVISIONED:    { isInUse: false, isVoiding: true,  isImportable: true,  refusal: 'USER_STATUS' },
} as const satisfies Readonly<Record<string, UserStatusRow>>;

type Rows = typeof USER_STATUS_ROWS;
export type UserStatus = keyof Rows;
export type ImportStatus = {
  [Status in UserStatus]: Rows[Status]['isImportable'] extends true ? Status : never;
}[UserStatus];
export type UserStatusRefusal = UserStatusRow['refusal'];

export const USER_STATUSES = Object.keys(USER_STATUS_ROWS) as readonly UserStatus[];

const statusesWhere = (holds: (row: UserStatusRow) => boolean): readonly UserStatus[] =>
  USER_STATUSES.filter((status) => holds(USER_STATUS_ROWS[status]));

export const STATUSES_IN_USE = statusesWhere(({ isInUse }) => isInUse);
export const VOIDING_STATUSES = statusesWhere(({ isVoiding }) => isVoiding);
export const IMPORT_STATUSES = USER_STATUSES.filter(
  (status): status is ImportStatus => USER_STATUS_ROWS[status].isImportable,
);

/** The admission refusals that reveal something about the user's status. */
export const USER_STATUS_REFUSALS: ReadonlySet<string> = new Set(
  USER_STATUSES.map((status) => USER_STATUS_ROWS[status].refusal),
);

export const sqlStatuses = (statuses: readonly UserStatus[]): string =>
  `(${statuses.map((status) => `'${status}'`).join(', ')})`;
