import type { Actor } from '../../../kernel/context.ts';
import type { SignOnDecision } from '../../../management/policies/index.ts';
import { type UserRow, userActor, userTarget } from '../../../management/users/index.ts';
import type { NewEvent } from '../../../system-log/index.ts';

const AUTHENTICATION: NonNullable<NewEvent['authentication']> = {
  authenticationProvider: '{WORD}_AUTHENTICATION_PROVIDER',
  credentialProvider: '{WORD}_CREDENTIAL_PROVIDER',
  credentialType: 'PASSWORD',
};

export type RefusalReason =
  | 'INVALID_CREDENTIALS'
  | 'LOCKED_OUT'
  | 'UNKNOWN_DEVICE_BLOCKED'
  | 'USER_STATUS'
  | 'POLICY_DENIED';

export const signInSucceeded = (user: UserRow, externalSessionId: string): NewEvent => ({
  eventType: 'user.session.start',
  actor: userActor(user),
  target: [userTarget(user)],
  authentication: { ...AUTHENTICATION, externalSessionId, rootSessionId: externalSessionId },
});

export const signInFailed = (user: UserRow, reason: RefusalReason): NewEvent => ({
  eventType: 'user.session.start',
  severity: 'WARN',
  actor: userActor(user),
  target: [userTarget(user)],
  outcome: { result: 'FAILURE', reason },
  authentication: AUTHENTICATION,
});

/** The login that was tried is all that is known of an unknown user. */
export const unknownActor = (login: string): Actor => ({
  id: 'unknown',
  type: 'User',
  alternateId: login,
  displayName: 'unknown',
});

export const unknownSignInFailed = (login: string): NewEvent => ({
  eventType: 'user.session.start',
  severity: 'WARN',
  actor: unknownActor(login),
  outcome: { result: 'FAILURE', reason: 'INVALID_CREDENTIALS' },
  authentication: AUTHENTICATION,
});

export const passwordProved = (user: UserRow): NewEvent => ({
  eventType: 'user.authentication.auth',
  actor: userActor(user),
  target: [userTarget(user)],
  authentication: AUTHENTICATION,
});

export const signOnEvaluated = (user: UserRow, decision: SignOnDecision): NewEvent => ({
  eventType: 'policy.evaluate_sign_on',
  actor: userActor(user),
  outcome: { result: decision.access },
  target: [
    { id: decision.policyId, type: 'Policy', displayName: decision.policyName },
    { id: decision.ruleId, type: 'Rule', displayName: decision.ruleName },
  ],
  authentication: AUTHENTICATION,
  debugData: { zones: decision.zones.join(', ') },
});

export const tokenRefused = (user: UserRow | null): NewEvent => ({
  eventType: 'user.account.use_token',
  outcome: { result: 'FAILURE', reason: 'INVALID_TOKEN' },
  ...(user === null ? {} : { target: [userTarget(user)] }),
});
