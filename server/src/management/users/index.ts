export type { PasswordPolicy } from '../../kernel/words/password-policy.ts';
export {
  expireOldPassword,
  isRightAnswer,
  noteFirstFactor,
  noteSignIn,
  storeOwnPassword,
  unlockOwnAccount,
  userActor,
} from './account/self-service.ts';
export {
  assumeSubject,
  canAssume,
  findSignInState,
  forgetKnownDevices,
  loginValues,
  noteProvedPassword,
  type SignInSubject,
  SUBJECT_BY_LOGIN,
  type SubjectRow,
  subjectOf,
} from './account/sign-in-store.ts';
export { lockNames, subjectHashOf } from './account/subject-store.ts';
export { checkStoredUser } from './check-stored.ts';
export { type ImportedUser, type ImportMode, type ImportOutcome, importUsers } from './import/import-users.ts';
export { autoUnlock, countFailure, signInBlockOf } from './lifecycle/failed-attempts.ts';
export { userLifecycle } from './lifecycle/lifecycle.ts';
export { mailAdministrator } from './lifecycle/mail-administrator.ts';
export { changePassword } from './passwords/change-password.ts';
export { expirePasswordWithTempPassword } from './passwords/expire-password.ts';
export {
  answerForm,
  causesAgainst,
  fairnessKeyOf,
  hashFor,
  MAXIMUM_ANSWER_CHARACTERS,
  reuseCauses,
} from './passwords/password-changes.ts';
export { dearestPasswordsReader } from './passwords/password-costs-store.ts';
export { DEFAULT_PASSWORD_POLICY, type SelfService } from './passwords/password-rules.ts';
export { findPasswordState } from './passwords/password-store.ts';
export { slowestProof } from './passwords/slowest-proof.ts';
export { type UserMail, type UsersPorts } from './ports.ts';
export { namesShownTo, shownProfile } from './profile/attribute-limits.ts';
export { ATTRIBUTE_IDS } from './profile/attribute-values.ts';
export { changePendingAddress, pendingAddressesOf, proveAddress } from './profile/pending-addresses.ts';
export { assertMutable } from './profile/profile.ts';
export { hiddenFromSelf, isOwnToWrite } from './profile/self-view.ts';
export { updateOwnProfile } from './profile/update-own-profile.ts';
export { createUser } from './records/create-user.ts';
export { getUser } from './records/get-user.ts';
export { lockUser, resolveUserId, userToSetCredentialsOf } from './records/guards.ts';
export { findUserForUpdate } from './records/locked-user-store.ts';
export { userReader } from './records/user-reader-store.ts';
export { ownsPassword, type UserRow } from './records/user-row.ts';
export {
  countWrongAnswer,
  findRecoveryToken,
  noteLedTo,
  type RecoveryToken,
  type StoredRecoveryToken,
  useRecoveryToken,
  useTokenThatLedTo,
} from './recovery/recovery-token-store.ts';
export { issuePasswordResetToken, issueUnlockToken } from './recovery/recovery-tokens.ts';
export { linkJobs, planRenewal, planRenewalOfMembers } from './recovery/renew-links.ts';
export {
  findUserById,
  findUserIdByLogin,
  findUsersByIds,
  noteProvedEmail,
  USER_COLUMNS,
  voidCredentials,
} from './store.ts';

export { displayNameOf, localeOf, namedUserTarget, userTarget, wireListedUser } from './wire.ts';
