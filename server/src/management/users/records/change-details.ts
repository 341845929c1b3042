import { changeTarget, type Json, type Target } from '../../../system-log/index.ts';
import { userTarget } from '../wire.ts';
import type { UserRow } from './user-row.ts';

const targetOf = (user: UserRow): Target => userTarget(user);

type Told = Readonly<Record<string, Json>>;

/**
 * Events must not contain secrets, so these details contain the time at which the password was set, but no password.
 */
const accountOf = (user: UserRow): Told => ({
  status: user.status,
  provider: user.providerType === 'INTERNAL' ? 'INTERNAL' : user.providerName,
  passwordChanged: user.passwordChangedAt?.toISOString() ?? null,
});

const profileOf = (user: UserRow): Told => ({
  ...user.profile,
  recoveryQuestion: user.recoveryQuestion === null ? null : '(set)',
});

const typeOf = (user: UserRow): Told => ({ 'type.id': user.typeId });

export const typeChange = changeTarget(targetOf, typeOf);

export const accountChange = changeTarget(targetOf, accountOf);

export function passwordChange([before, after]: readonly [UserRow, UserRow]): Target {
  const target = accountChange([before, after]);
  const { from, to } = target.changeDetails ?? { from: {}, to: {} };
  const password = before.hasPassword ? ['(set)', '(replaced)'] : [null, '(set)'];
  const [had = null, has = null] = password;
  return { ...target, changeDetails: { from: { ...from, password: had }, to: { ...to, password: has } } };
}

export const userChange = changeTarget(targetOf, (user) => ({
  ...accountOf(user),
  ...profileOf(user),
  ...typeOf(user),
}));

const changedProfile = changeTarget(targetOf, profileOf);

/** Returns null if neither the profile nor the recovery question changed. */
export function profileChange(before: UserRow, after: UserRow): Target | null {
  const target = changedProfile([before, after]);
  const isReplaced = before.recoveryQuestion !== after.recoveryQuestion;
  if (!isReplaced || before.recoveryQuestion === null || after.recoveryQuestion === null) {
    return target.changeDetails === undefined ? null : target;
  }
  const { from, to } = target.changeDetails ?? { from: {}, to: {} };
  const changeDetails = { from: { ...from, recoveryQuestion: '(set)' }, to: { ...to, recoveryQuestion: '(replaced)' } };
  return { ...target, changeDetails };
}
