export type { PasswordPolicy } from '../../kernel/password-policy.ts';
export { namesShownTo, shownProfile } from './attribute-limits.ts';
export { ATTRIBUTE_IDS } from './attribute-values.ts';
export { changePassword } from './change-password.ts';
export { checkStoredUser } from './check-stored.ts';
export { createUser } from './create-user.ts';
export { expirePasswordWithTempPassword } from './expire-password.ts';
export { autoUnlock, countFailure, holdOf } from './failed-attempts.ts';
export { getUser } from './get-user.ts';
export { lockUser, resolveUserId } from './guards.ts';
export { IMPORT_STATUSES, type ImportStatus } from './import-rules.ts';
export { type ImportedUser, type ImportMode, type ImportOutcome, importUsers } from './import-users.ts';
export { USER_STATUSES, type UserStatus, userLifecycle } from './lifecycle.ts';
export {
  expireOldPassword,
  isRightAnswer,
  noteSignIn,
  storeOwnPassword,
  unlockOwnAccount,
  userActor,
} from './own-account.ts';
export { hiddenFromSelf, isOwnToWrite } from './own-view.ts';
export { causesAgainst, fairnessKeyOf, hashFor, reuseCauses } from './password-changes.ts';
export { dearestPasswordsReader } from './password-costs-store.ts';
export { DEFAULT_PASSWORD_POLICY, type SelfService } from './password-rules.ts';
export { changePendingAddress, pendingAddressesOf, proveAddress } from './pending-addresses.ts';
export { type PasswordSubject, type TypedSchema, type UserMail, type UsersPorts } from './ports.ts';
export { assertMutable } from './profile.ts';
export {
  countWrongAnswer,
  findRecoveryToken,
  noteLedTo,
  type RecoveryToken,
  type StoredRecoveryToken,
  useRecoveryToken,
  useTokenThatLedTo,
} from './recovery-token-store.ts';
export { issuePasswordResetToken, issueUnlockToken } from './recovery-tokens.ts';
export { linkJobs, planRenewal, planRenewalOfMembers } from './renew-links.ts';
export { findSignInState, forgetKnownDevices, noteProvedPassword, type SignInState } from './sign-in-store.ts';
export { slowestProof } from './slowest-proof.ts';
export {
  findPasswordState,
  findUserById,
  findUserForUpdate,
  findUserIdByLogin,
  findUsersByIds,
  noteProvedEmail,
  USER_COLUMNS,
  voidCredentials,
} from './store.ts';
export { lockNames, subjectHashOf } from './subject-store.ts';
export { tellAdministrator } from './tell-administrator.ts';
export { updateOwnProfile } from './update-own-profile.ts';
export { ownsPassword, type UserRow } from './user-row.ts';

export { namedUserTarget, userTarget, wireListedUser } from './wire.ts';
