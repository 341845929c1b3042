import type { Members } from '../../../kernel/words/members.ts';

export interface RuleSeed {
  readonly name: string;
  readonly conditions: object | null;
  readonly actions: object;
}

const DEFAULT_RULE_NAME = 'Default Rule';
export const defaultRule = (conditions: object, actions: object): RuleSeed => ({
  name: DEFAULT_RULE_NAME,
  conditions,
  actions,
});
/** Makes the catch-all rule of a newer type. The rule has no conditions, because it must match everyone. */
export const catchAll = (actions: Members): RuleSeed => ({ name: 'Catch-all Rule', conditions: null, actions });

export const ACCESS_RULE = catchAll({
  appSignOn: {
    access: 'ALLOW',
    verificationMethod: { type: 'ASSURANCE', factorMode: '1FA', reauthenticateIn: 'PT12H' },
    keepMeSignedIn: { postAuth: 'NOT_ALLOWED' },
  },
});

export const REGISTRATION_RULE = catchAll({
  profileEnrollment: {
    access: 'ALLOW',
    profileAttributes: [
      { name: 'email', label: 'Email', required: true },
      { name: 'firstName', label: 'First name', required: true },
      { name: 'lastName', label: 'Last name', required: true },
    ],
    targetGroupIds: null,
    unknownUserAction: 'DENY',
    activationRequirements: { emailVerification: true },
    progressiveProfilingAction: 'DISABLED',
    allowedIdentifiers: ['login'],
  },
});

export const ENROLLMENT_SETTINGS = {
  type: 'AUTHENTICATORS',
  authenticators: [
    { key: '{word}_email', enroll: { self: 'OPTIONAL' } },
    { key: '{word}_password', enroll: { self: 'REQUIRED' } },
  ],
};
