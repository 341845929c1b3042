import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import type { PolicyNames } from '../types/document-rules.ts';
import { readRuleDocument, wireRuleDocument } from '../types/rules.ts';
import { POLICY_TYPE_ROWS } from '../types/type-rules.ts';

const words: PolicyNames = {
  word: 'svc',
  upperWord: 'SVC',
  capitalisedWord: 'Svc',
  attributes: new Set(['email', 'department']),
};

function causesOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'E0000001') return error.causes.map((cause) => cause.errorSummary);
    throw error;
  }
  return [];
}

const signOn = (conditions: unknown, signon: unknown = { access: 'ALLOW' }) =>
  readRuleDocument('SIGN_ON', { conditions, actions: { signon } }, words);

describe('a sign-on rule', () => {
  test('without anything said is for everyone, and prints what recorded ones print', () => {
    const document = signOn(undefined);
    const { actions, conditions } = POLICY_TYPE_ROWS.SIGN_ON.standard?.rule ?? {};
    expect(document).toEqual({ type: 'SIGN_ON', conditions, actions });
    expect(wireRuleDocument(document, words)).toEqual({
      conditions: {
        people: { users: { exclude: [] } },
        network: { connection: 'ANYWHERE' },
        authContext: { authType: 'ANY' },
        identityProvider: { provider: 'ANY' },
      },
      actions: {
        signon: {
          access: 'ALLOW',
          requireFactor: false,
          primaryFactor: 'PASSWORD_IDP_ANY_FACTOR',
          rememberDeviceByDefault: false,
          session: { usePersistentCookie: false, maxSessionIdleMinutes: 120, maxSessionLifetimeMinutes: 0 },
        },
      },
    });
  });

  test('what is printed is read as the same again', () => {
    const conditions = {
      people: { users: { include: ['00u1', '00u1'], exclude: ['00u2'] }, groups: { include: ['00g1'] } },
      network: { connection: 'ZONE', include: ['nzo1'], exclude: ['ALL_ZONES'] },
      authContext: { authType: 'ANY' },
      identityProvider: { provider: 'SVC' },
      riskScore: { level: 'ANY' },
      risk: { behaviors: [] },
    };
    const session = { maxSessionIdleMinutes: 1, maxSessionLifetimeMinutes: 600, usePersistentCookie: true };
    const document = signOn(conditions, { access: 'DENY', requireFactor: false, session, primaryFactor: null });
    expect(document).toMatchObject({
      conditions: {
        users: { include: ['00u1'], exclude: ['00u2'] },
        groups: { include: ['00g1'], exclude: [] },
        provider: 'INTERNAL',
      },
      actions: { access: 'DENY', idleMinutes: 1, lifetimeMinutes: 600, usePersistentCookie: true },
    });
    expect(readRuleDocument('SIGN_ON', wireRuleDocument(document, words), words)).toEqual(document);
  });

  test('a second factor is asked for at each sign-in, which older versions admit by no word of theirs', () => {
    const prompt = { requireFactor: 'true', factorPromptMode: 'ALWAYS', factorLifetime: 15 };
    const document = signOn(null, { access: 'ALLOW', ...prompt });
    expect(document).toMatchObject({ actions: { access: 'CHALLENGE' } });
    expect(wireRuleDocument(document, words)).toMatchObject({
      actions: { signon: { access: 'ALLOW', ...prompt, requireFactor: true } },
    });
    expect(readRuleDocument('SIGN_ON', wireRuleDocument(document, words), words)).toEqual(document);
    const without = signOn(null, { access: 'ALLOW', ...prompt, requireFactor: false });
    expect(without).toMatchObject({ actions: { access: 'ALLOW' } });
    expect(JSON.stringify(wireRuleDocument(without, words))).not.toContain('factorPromptMode');
  });

  test.each([
    [{ network: { connection: 'ZONE' } }, 'conditions.network: '],
    [{ network: { connection: 'ANYWHERE', include: ['nzo1'] } }, 'conditions.network: '],
    [{ network: { connection: 'anywhere' } }, 'conditions.network.connection: '],
    [{ network: { connection: 'ZONE', include: [1] } }, 'conditions.network.include: '],
    [{ network: { connection: 'ZONE', include: Array(101).fill('nzo') } }, 'conditions.network.include: '],
    [{ people: { users: { include: '00u1' } } }, 'conditions.people.users.include: '],
    [{ people: { users: { exclude: Array(101).fill('00u') } } }, 'conditions.people.users.exclude: '],
    [[], 'conditions: '],
  ])('refuses %j', (conditions, beginning) => {
    expect(causesOf(() => signOn(conditions))).toEqual([expect.stringContaining(beginning)]);
  });

  test.each([
    [{ authContext: { authType: 'RADIUS' } }, 'conditions.authContext.authType'],
    [{ riskScore: { level: 'HIGH' } }, 'conditions.riskScore.level'],
    [{ risk: { behaviors: ['New City'] } }, 'conditions.risk.behaviors'],
    [{ identityProvider: { provider: 'SPECIFIC_IDP', idpIds: ['0oa1'] } }, 'conditions.identityProvider.idpIds'],
    [{ device: { managed: true } }, 'conditions.device'],
    [{ __proto__: null, ['constructor']: {} }, 'conditions.constructor'],
  ])('says of %j that it is not supported yet', (conditions, place) => {
    expect(causesOf(() => signOn(conditions))).toEqual([`${place}: is not supported yet.`]);
  });

  test.each([
    [{ access: 'ALLOW', rememberDeviceByDefault: true }, 'actions.signon.rememberDeviceByDefault'],
    [{ access: 'ALLOW', requireFactor: true, factorLifetime: 16 }, 'actions.signon.factorLifetime'],
    [{ access: 'ALLOW', requireFactor: true, factorPromptMode: 'DEVICE' }, 'actions.signon.factorPromptMode'],
    [{ access: 'ALLOW', factorPromptMode: 'SESSION' }, 'actions.signon.factorPromptMode'],
    [{ access: 'ALLOW', challenge: {} }, 'actions.signon.challenge'],
  ])('says of the action %j that it is not supported yet', (action, place) => {
    expect(causesOf(() => signOn(null, action))).toEqual([`${place}: is not supported yet.`]);
  });

  test.each([
    undefined,
    {},
    { access: 'CHALLENGE' },
    { access: null },
    { access: 'ALLOW', session: { maxSessionIdleMinutes: 0 } },
    { access: 'ALLOW', session: { maxSessionIdleMinutes: '120' } },
    { access: 'ALLOW', session: { maxSessionIdleMinutes: 1.5 } },
    { access: 'ALLOW', session: { maxSessionIdleMinutes: 525_601 } },
    { access: 'ALLOW', session: { maxSessionLifetimeMinutes: -1 } },
    { access: 'ALLOW', session: { usePersistentCookie: 'yes' } },
    { access: 'ALLOW', session: [] },
    { access: 'ALLOW', primaryFactor: 'NONE' },
    { access: 'ALLOW', requireFactor: 'no' },
    { access: 'DENY', requireFactor: true },
    { access: 'ALLOW', factorPromptMode: 'NEVER' },
    { access: 'ALLOW', factorLifetime: 0 },
    { access: 'ALLOW', factorLifetime: '15' },
  ])('refuses the action %j', (action) => {
    expect(causesOf(() => readRuleDocument('SIGN_ON', { actions: { signon: action } }, words))).toHaveLength(1);
  });
});
