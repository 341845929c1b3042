import { describe, expect, test } from 'vitest';
import { AUTHN_STATES, AUTHN_STEPS, type AuthnState, allowsStep, linkedSteps } from './lifecycle.ts';

/** The steps and links of each state in the contract (section 11). */
const PINNED: Readonly<Record<AuthnState, { allows: readonly string[]; links: readonly string[] }>> = {
  PASSWORD_WARN: {
    allows: ['changePassword', 'skip', 'cancel', 'current'],
    links: ['next changePassword', 'skip skip', 'cancel cancel'],
  },
  PASSWORD_EXPIRED: {
    allows: ['changePassword', 'cancel', 'current'],
    links: ['next changePassword', 'cancel cancel'],
  },
  RECOVERY: { allows: ['answer', 'cancel', 'current'], links: ['next answer', 'cancel cancel'] },
  PASSWORD_RESET: { allows: ['resetPassword', 'cancel', 'current'], links: ['next resetPassword', 'cancel cancel'] },
  MFA_REQUIRED: { allows: ['verify', 'cancel', 'current'], links: ['cancel cancel'] },
  MFA_CHALLENGE: {
    allows: ['verify', 'resend', 'previous', 'cancel', 'current'],
    links: ['next verify', 'prev previous', 'cancel cancel'],
  },
  MFA_ENROLL: { allows: ['enroll', 'cancel', 'current'], links: ['cancel cancel'] },
  MFA_ENROLL_ACTIVATE: {
    allows: ['activate', 'previous', 'cancel', 'current'],
    links: ['next activate', 'prev previous', 'cancel cancel'],
  },
};

describe.each(AUTHN_STATES)('%s', (state) => {
  test('allows the pinned steps and no other', () => {
    const steps = Object.keys(AUTHN_STEPS) as (keyof typeof AUTHN_STEPS)[];
    expect(steps.filter((step) => allowsStep(state, step))).toEqual(PINNED[state].allows);
  });

  test('publishes the pinned links', () => {
    expect(linkedSteps(state).map(({ relation, step }) => `${relation} ${step}`)).toEqual(PINNED[state].links);
  });
});

test('a password is reset after a recovery alone', () => {
  expect(AUTHN_STATES.filter((state) => allowsStep(state, 'resetPassword'))).toEqual(['PASSWORD_RESET']);
});
