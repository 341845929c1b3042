import { describe, expect, test } from 'vitest';
import { checkStoredFactor } from './check-stored.ts';

const question = {
  status: 'ACTIVE',
  factor_type: 'question',
  provider: 'OWN',
  question: 'disliked_food',
  answer: {},
  sealed_secret: null,
};
const device = {
  factor_type: 'token:software:totp',
  provider: 'GOOGLE',
  question: null,
  answer: null,
  sealed_secret: 'x',
};

describe('an imported factor', () => {
  test('is accepted as the service stores it', () => {
    for (const row of [question, device, { ...device, provider: 'OWN' }]) {
      expect(() => checkStoredFactor(row)).not.toThrow();
    }
  });

  test.each([
    ['of no type', { ...question, factor_type: 'sms' }, 'factor_type'],
    ['of a provider without it', { ...question, provider: 'GOOGLE' }, 'factor_type'],
    ['of no provider', { ...device, provider: 'SVC' }, 'factor_type'],
    ['with an unknown question', { ...question, question: 'maiden_name' }, 'question'],
    ['with a question that every object has', { ...question, question: 'constructor' }, 'question'],
    ['with a question that is pending', { ...question, status: 'PENDING_ACTIVATION' }, 'status'],
    ['without an answer', { ...question, answer: null }, 'answer'],
    ['without a secret', { ...device, sealed_secret: null }, 'sealed_secret'],
  ])('is refused %s', (_, row, column) => {
    expect(() => checkStoredFactor(row)).toThrow(expect.objectContaining({ code: 'E0000001' }));
    expect(() => checkStoredFactor(row)).toThrow(column);
  });
});
