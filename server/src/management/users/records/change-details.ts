import { changeTarget, type Json, type Target } from '../../../system-log/index.ts';
import { userTarget } from '../wire.ts';
import type { UserRow } from './user-row.ts';

const targetOf = (user: UserRow): Target => userTarget(user);

type Told = Readonly<Record<string, Json>>;

/** Events show only that a password was set, and when, because they must not contain secrets. */
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

/** The user as an event target, with the change of its type. */
export const typeChange = changeTarget(targetOf, typeOf);

/** The user as an event target, with the change of status, provider and password time. */
export const accountChange = changeTarget(targetOf, accountOf);

/** The user as an event target after its password was set or replaced, without any value. */
export function passwordChange([before, after]: readonly [UserRow, UserRow]): Target {
  const target = accountChange([before, after]);
  const { from, to } = target.changeDetails ?? { from: {}, to: {} };
  const password = before.hasPassword ? ['(set)', '(replaced)'] : [null, '(set)'];
  const [had = null, has = null] = password;
  return { ...target, changeDetails: { from: { ...from, password: had }, to: { ...to, password: has } } };
}

/** The user as an event target with account and profile, for creation and deletion. */
export const userChange = changeTarget(targetOf, (user) => ({
  ...accountOf(user),
  ...profileOf(user),
  ...typeOf(user),
}));

const changedProfile = changeTarget(targetOf, profileOf);

/** The user as an event target with changes of profile and recovery question; null when no recorded member changed. */
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
