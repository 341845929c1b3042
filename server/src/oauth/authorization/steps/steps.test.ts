import { expect, test } from 'vitest';
import { AUTHORIZATION_STEPS } from './steps.ts';

const names = AUTHORIZATION_STEPS.map(({ name }) => name);
const proved = names.indexOf('verifyRedirectUri');

test('errors go to a page until the redirect URI is proved, and to the client from then on', () => {
  expect(proved).toBeGreaterThan(0);
  for (const [index, { errorsGoTo, name }] of AUTHORIZATION_STEPS.entries()) {
    expect({ name, errorsGoTo }).toEqual({ name, errorsGoTo: index <= proved ? 'page' : 'client' });
  }
});

test('what decides over what is issued comes last, in its transaction', () => {
  const first = AUTHORIZATION_STEPS.findIndex(({ within }) => within === 'transaction');
  expect(first).toBeGreaterThan(proved);
  expect(AUTHORIZATION_STEPS.slice(first).every(({ within }) => within === 'transaction')).toBe(true);
  expect(names[first]).toBe('lockParties');
});

test('each step is there once and names its clause', () => {
  expect(new Set(names).size).toBe(names.length);
  expect(AUTHORIZATION_STEPS.every(({ spec }) => spec.length > 5)).toBe(true);
});

test('a pushed request is asked everything but who its user is', () => {
  const unasked = AUTHORIZATION_STEPS.filter(({ on }) => !on.includes('push'));
  expect(unasked.slice(0, 3).map(({ name }) => name)).toEqual(['verifyHint', 'openSession', 'findSession']);
  expect(unasked.slice(3).every(({ within }) => within === 'transaction')).toBe(true);
  expect(AUTHORIZATION_STEPS.every(({ on }) => on.includes('authorize'))).toBe(true);
});
