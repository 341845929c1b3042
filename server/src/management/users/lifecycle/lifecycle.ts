import { type ApiError, apiError, invalidObject } from '../../../kernel/errors/errors.ts';
import { lifecycle, type Transition } from '../../../kernel/lifecycle.ts';
import { STATUSES_IN_USE, USER_STATUSES, type UserStatus } from '../../../kernel/user-statuses.ts';

export interface LifecycleUser {
  readonly status: UserStatus;
  readonly statusBeforeSuspension: UserStatus | null;
  readonly hasPassword: boolean;
  readonly hasRecoveryQuestion: boolean;
  /** Whether another provider authenticates the user, who then needs no password to be active. */
  readonly signsInElsewhere: boolean;
  /** Whether this service is where the user's password is stored, or would be stored if the user had one. */
  readonly ownsPassword: boolean;
}

type Credential = 'password' | 'recoveryQuestion' | 'ownPassword';

/** `path` is appended to the user's URL. */
export interface LinkTarget {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
}

interface UserTransition extends Transition<UserStatus> {
  /** Chooses one of the statuses in `to`. Without this function, the first one applies. */
  readonly next?: (user: LifecycleUser) => UserStatus;
  readonly needs?: readonly Credential[];
  readonly refusal: 'E0000001' | 'E0000016' | 'E0000032' | 'E0000034' | 'E0000035' | 'E0000036' | 'E0000038';
  /** This is absent when no link leads to the operation. */
  readonly link?: LinkTarget;
}

const LIVE = USER_STATUSES.filter((status) => status !== 'DEPROVISIONED');
const isInUse = (status: UserStatus): boolean => STATUSES_IN_USE.includes(status);

const post = (path: string): LinkTarget => ({ method: 'POST', path });
const keepOr =
  (...moved: UserStatus[]) =>
  (user: LifecycleUser): UserStatus =>
    moved.includes(user.status) ? 'ACTIVE' : user.status;

/**
 * The operations that depend on a user's status (contract section 4). Guards and `_links` are derived from this table.
 */
// biome-ignore format: the columns are the documentation
export const userLifecycle = lifecycle<UserStatus, UserAction, UserTransition>({
  activate:     { from: ['STAGED', 'DEPROVISIONED'], to: ['ACTIVE', 'PROVISIONED'], refusal: 'E0000016',
                  next: (user) => (user.hasPassword || user.signsInElsewhere ? 'ACTIVE' : 'PROVISIONED'),
                  event: 'user.lifecycle.activate', link: post('lifecycle/activate') },
  reactivate:   { from: ['PROVISIONED', 'RECOVERY'], to: 'unchanged', refusal: 'E0000038',
                  event: 'user.lifecycle.reactivate', link: post('lifecycle/reactivate') },
  deactivate:   { from: LIVE, to: ['DEPROVISIONED'], unlinked: ['STAGED'], refusal: 'E0000038',
                  event: 'user.lifecycle.deactivate', link: post('lifecycle/deactivate') },
  // A DELETE request for a live user means `deactivate` (see `deletionOf`).
  delete:       { from: ['DEPROVISIONED'], to: 'removed', refusal: 'E0000038',
                  event: 'user.lifecycle.delete.initiated', link: { method: 'DELETE', path: '' } },
  suspend:      { from: STATUSES_IN_USE, to: ['SUSPENDED'], refusal: 'E0000001',
                  event: 'user.lifecycle.suspend', link: post('lifecycle/suspend') },
  unsuspend:    { from: ['SUSPENDED'], to: STATUSES_IN_USE, refusal: 'E0000001',
                  next: ({ statusBeforeSuspension: before }) => (before && isInUse(before) ? before : 'ACTIVE'),
                  event: 'user.lifecycle.unsuspend', link: post('lifecycle/unsuspend') },
  unlock:       { from: ['LOCKED_OUT'], to: ['ACTIVE'], refusal: 'E0000032',
                  event: 'user.account.unlock_by_admin', link: post('lifecycle/unlock') },
  // Even an active user who has never signed in goes to RECOVERY (specification 3).
  resetPassword: { from: ['ACTIVE', 'PROVISIONED', 'RECOVERY', 'LOCKED_OUT', 'PASSWORD_EXPIRED'], to: ['RECOVERY'],
                  refusal: 'E0000038', event: 'user.account.reset_password', link: post('lifecycle/reset_password') },
  resetPasswordFederation: { from: ['ACTIVE', 'STAGED'], to: 'unchanged', refusal: 'E0000038',
                  event: 'user.account.reset_password' },
  expirePassword: { from: ['ACTIVE', 'PASSWORD_EXPIRED'], to: ['PASSWORD_EXPIRED'], needs: ['password'],
                  refusal: 'E0000038', event: 'user.account.expire_password', link: post('lifecycle/expire_password') },
  expirePasswordWithTempPassword: { from: ['ACTIVE', 'PASSWORD_EXPIRED'], to: ['PASSWORD_EXPIRED'],
                  needs: ['password'], refusal: 'E0000038', event: 'user.account.expire_password' },
  forgotPassword: { from: ['ACTIVE'], to: 'unchanged', needs: ['recoveryQuestion', 'ownPassword'],
                  refusal: 'E0000034', event: 'user.account.reset_password', link: post('credentials/forgot_password') },
  changePassword: { from: ['STAGED', 'ACTIVE', 'PASSWORD_EXPIRED', 'RECOVERY'], to: ['STAGED', 'ACTIVE'],
                  next: keepOr('PASSWORD_EXPIRED', 'RECOVERY'), unlinked: ['STAGED'], needs: ['password'],
                  refusal: 'E0000035', event: 'user.account.update_password',
                  link: post('credentials/change_password') },
  // The password authenticates the caller, so a user without a recovery question may set one.
  changeRecoveryQuestion: { from: ['STAGED', 'ACTIVE', 'RECOVERY'], to: 'unchanged', unlinked: ['STAGED'],
                  needs: ['password'], refusal: 'E0000036', event: 'user.account.update_profile',
                  link: post('credentials/change_recovery_question') },
  adminSetPassword: { from: ['STAGED', 'ACTIVE', 'PROVISIONED', 'RECOVERY', 'PASSWORD_EXPIRED'],
                  to: ['STAGED', 'ACTIVE'], next: keepOr('PROVISIONED', 'RECOVERY', 'PASSWORD_EXPIRED'),
                  refusal: 'E0000038', event: 'user.account.update_password' },

  // Failures can block a user without a change of status.
  liftFailures: { from: ['STAGED', 'ACTIVE', 'RECOVERY', 'PASSWORD_EXPIRED'], to: 'unchanged', refusal: 'E0000032',
                  event: 'user.account.unlock_by_admin' },

  completeActivation: { from: ['PROVISIONED'], to: ['ACTIVE'], refusal: 'E0000038',
                  event: 'user.account.update_password' },
  completeRecovery: { from: ['ACTIVE', 'RECOVERY', 'LOCKED_OUT', 'PASSWORD_EXPIRED'], to: ['ACTIVE'],
                  refusal: 'E0000038', event: 'user.account.update_password' },
  lockOut:      { from: ['ACTIVE'], to: ['LOCKED_OUT'], refusal: 'E0000038', event: 'user.account.lock' },
  autoUnlock:   { from: ['LOCKED_OUT'], to: ['ACTIVE'], refusal: 'E0000038', event: 'user.account.unlock' },
  // The user has proved ownership of the account, usually by opening a link in an email.
  unlockOwn:    { from: ['LOCKED_OUT'], to: ['ACTIVE'], refusal: 'E0000032', event: 'user.account.unlock' },
  passwordTooOld: { from: ['ACTIVE'], to: ['PASSWORD_EXPIRED'], needs: ['password'], refusal: 'E0000038',
                  event: 'user.account.expire_password' },
});

export type UserAction =
  | 'activate'
  | 'reactivate'
  | 'deactivate'
  | 'delete'
  | 'suspend'
  | 'unsuspend'
  | 'unlock'
  | 'resetPassword'
  | 'resetPasswordFederation'
  | 'expirePassword'
  | 'expirePasswordWithTempPassword'
  | 'forgotPassword'
  | 'changePassword'
  | 'changeRecoveryQuestion'
  | 'adminSetPassword'
  | 'liftFailures'
  | 'completeActivation'
  | 'completeRecovery'
  | 'lockOut'
  | 'autoUnlock'
  | 'unlockOwn'
  | 'passwordTooOld';

const HELD: Readonly<Record<Credential, (user: LifecycleUser) => boolean>> = {
  password: ({ hasPassword }) => hasPassword,
  recoveryQuestion: ({ hasRecoveryQuestion }) => hasRecoveryQuestion,
  ownPassword: ({ ownsPassword }) => ownsPassword,
};
const holds = (user: LifecycleUser, needs: readonly Credential[] = []): boolean =>
  needs.every((credential) => HELD[credential](user));

export const permits = (user: LifecycleUser, action: UserAction): boolean =>
  userLifecycle.allows(user.status, action) && holds(user, userLifecycle.transition(action).needs);

export function refusalOf(user: LifecycleUser, action: UserAction): ApiError | null {
  if (permits(user, action)) return null;
  const { refusal } = userLifecycle.transition(action);
  if (refusal === 'E0000001') return invalidObject(action, [`Cannot ${action} a user whose status is ${user.status}.`]);
  // Recorded E0000032 responses contain a cause.
  if (refusal === 'E0000032') return apiError(refusal, { causes: ['The user is not locked out.'] });
  return apiError(refusal);
}

/** Returns the status after an operation; null when it deletes the user. */
export function nextStatus(user: LifecycleUser, action: UserAction): UserStatus | null {
  const refusal = refusalOf(user, action);
  if (refusal !== null) throw refusal;
  const { to, next } = userLifecycle.transition(action);
  if (to === 'removed') return null;
  if (to === 'unchanged') return user.status;
  return next?.(user) ?? to[0] ?? user.status;
}

export const deletionOf = (status: UserStatus): 'delete' | 'deactivate' =>
  userLifecycle.allows(status, 'delete') ? 'delete' : 'deactivate';

export interface UserLink {
  readonly relation: UserAction;
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
}

export function userLinkRelations(user: LifecycleUser): UserLink[] {
  return userLifecycle.linkedFrom(user.status).flatMap((relation) => {
    const { link } = userLifecycle.transition(relation);
    if (link === undefined || !permits(user, relation)) return [];
    return [{ relation, method: link.method, path: link.path }];
  });
}
