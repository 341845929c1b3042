import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  answersOf,
  CONSENT_TABLE,
  type ConsentMethod,
  type ConsentQuestion,
  type ConsentScope,
  consentDue,
} from './consent-rules.ts';

const METHODS = ['TRUSTED', 'REQUIRED'] as const;
const KINDS = ['REQUIRED', 'FLEXIBLE', 'IMPLICIT'] as const;

const scope = (consent: ConsentScope['consent'], isOptional = false): ConsentScope => ({
  id: 'scp1',
  name: 'orders.read',
  consent,
  isOptional,
});

type Kind = ConsentScope['consent'];
type Said = 'nothing' | 'granted' | 'left out';

function due(prompt: string, consentMethod: ConsentMethod, consent: Kind, said: Said = 'nothing', more = {}): string {
  const decided = said === 'nothing' ? [] : [{ scopeId: 'scp1', isGranted: said === 'granted' }];
  const scopes = [scope(consent)];
  const words = prompt.split(' ').filter((word) => word !== '');
  const { ask, granted } = consentDue({
    prompt: words,
    consentMethod,
    scopes,
    decided,
    isAnswered: false,
    ...more,
  });
  expect(ask.length + granted.length).toBeLessThanOrEqual(1);
  return ask.length === 1 ? 'asked' : granted.length === 1 ? 'given' : 'left out';
}

describe('the table of consent (contract section 7)', () => {
  test.each([
    ['consent', 'TRUSTED', 'REQUIRED', 'asked', 'asked'],
    ['consent', 'REQUIRED', 'REQUIRED', 'asked', 'asked'],
    ['consent', 'TRUSTED', 'FLEXIBLE', 'asked', 'asked'],
    ['consent', 'REQUIRED', 'FLEXIBLE', 'asked', 'asked'],
    ['consent', 'TRUSTED', 'IMPLICIT', 'given', 'given'],
    ['consent', 'REQUIRED', 'IMPLICIT', 'given', 'given'],
    ['', 'TRUSTED', 'FLEXIBLE', 'given', 'given'],
    ['', 'TRUSTED', 'IMPLICIT', 'given', 'given'],
    ['', 'TRUSTED', 'REQUIRED', 'given', 'given'],
    ['', 'REQUIRED', 'FLEXIBLE', 'asked', 'given'],
    ['', 'REQUIRED', 'REQUIRED', 'asked', 'given'],
    ['', 'REQUIRED', 'IMPLICIT', 'given', 'given'],
    ['none', 'REQUIRED', 'REQUIRED', 'asked', 'given'],
    ['none', 'REQUIRED', 'FLEXIBLE', 'asked', 'given'],
    ['none', 'REQUIRED', 'IMPLICIT', 'given', 'given'],
    ['none', 'TRUSTED', 'REQUIRED', 'given', 'given'],
    ['none', 'TRUSTED', 'FLEXIBLE', 'given', 'given'],
    ['none', 'TRUSTED', 'IMPLICIT', 'given', 'given'],
    ['login', 'REQUIRED', 'REQUIRED', 'asked', 'given'],
    ['login', 'TRUSTED', 'REQUIRED', 'given', 'given'],
    ['login consent', 'REQUIRED', 'REQUIRED', 'asked', 'asked'],
    ['login consent', 'TRUSTED', 'FLEXIBLE', 'asked', 'asked'],
    ['login consent', 'TRUSTED', 'IMPLICIT', 'given', 'given'],
  ] as const)('prompt %j, app %s, scope %s: %s; with a grant %s', (prompt, method, consent, without, withGrant) => {
    expect(due(prompt, method, consent)).toBe(without);
    expect(due(prompt, method, consent, 'granted')).toBe(withGrant);
  });

  test('has exactly one row for every combination', () => {
    for (const prompt of ['consent', 'other'] as const) {
      for (const method of METHODS) {
        for (const kind of KINDS) {
          const rows = CONSENT_TABLE.filter(
            (row) => row.prompt === prompt && row.consentMethod.includes(method) && row.consent.includes(kind),
          );
          expect([prompt, method, kind, rows.length]).toEqual([prompt, method, kind, 1]);
        }
      }
    }
  });
});

describe('an optional scope that was left out', () => {
  const optional = { scopes: [scope('REQUIRED', true)] };

  test('is left out and not asked for again', () => {
    expect(due('', 'REQUIRED', 'REQUIRED', 'left out', optional)).toBe('left out');
    expect(due('none', 'REQUIRED', 'REQUIRED', 'left out', optional)).toBe('left out');
  });

  test('is asked for once it is required, and under prompt=consent', () => {
    expect(due('', 'REQUIRED', 'REQUIRED', 'left out')).toBe('asked');
    expect(due('consent', 'REQUIRED', 'REQUIRED', 'left out', optional)).toBe('asked');
    expect(due('consent', 'TRUSTED', 'FLEXIBLE', 'left out', optional)).toBe('asked');
  });

  test('stays left out in the very request in which it was', () => {
    const answered = { ...optional, isAnswered: true };
    expect(due('consent', 'TRUSTED', 'REQUIRED', 'left out', answered)).toBe('left out');
    expect(due('consent', 'REQUIRED', 'REQUIRED', 'left out', answered)).toBe('left out');
    expect(due('consent', 'REQUIRED', 'REQUIRED', 'granted', answered)).toBe('given');
    expect(due('consent', 'REQUIRED', 'REQUIRED', 'nothing', answered)).toBe('asked');
  });

  test('is given where the app is trusted: nobody is asked there', () => {
    expect(due('', 'TRUSTED', 'REQUIRED', 'left out', optional)).toBe('given');
  });
});

describe('the form', () => {
  const [needed, wanted] = [
    { id: 'a', name: 'a', consent: 'REQUIRED', isOptional: false },
    { id: 'b', name: 'b', consent: 'REQUIRED', isOptional: true },
  ] as const;

  test('gives what is not optional, and of the rest what is checked', () => {
    expect(answersOf([needed, wanted], new Set())).toEqual([
      { scopeId: 'a', isGranted: true },
      { scopeId: 'b', isGranted: false },
    ]);
    expect(answersOf([needed, wanted], new Set(['b', 'c']))).toEqual([
      { scopeId: 'a', isGranted: true },
      { scopeId: 'b', isGranted: true },
    ]);
  });
});

const scopes = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 3 }),
    name: fc.string({ minLength: 1, maxLength: 3 }),
    consent: fc.constantFrom(...KINDS),
    isOptional: fc.boolean(),
  }),
  { selector: ({ id }) => id, maxLength: 8 },
);
const questions: fc.Arbitrary<ConsentQuestion<ConsentScope>> = scopes.chain((some) =>
  fc.record({
    prompt: fc.subarray(['none', 'login', 'consent', 'other']),
    consentMethod: fc.constantFrom(...METHODS),
    scopes: fc.constant(some),
    decided: fc
      .subarray(some)
      .chain((said) =>
        fc.tuple(...said.map(({ id }) => fc.record({ scopeId: fc.constant(id), isGranted: fc.boolean() }))),
      ),
    isAnswered: fc.boolean(),
  }),
);

describe('whatever is asked', () => {
  test('no scope is both asked for and given, and none is made up', () => {
    fc.assert(
      fc.property(questions, (question) => {
        const { ask, granted } = consentDue(question);
        expect(ask.filter((one) => granted.includes(one))).toEqual([]);
        expect([...ask, ...granted].every((one) => question.scopes.includes(one))).toBe(true);
        expect(ask.every(({ consent }) => consent !== 'IMPLICIT')).toBe(true);
      }),
    );
  });

  test('what is neither is optional, and the user left it out', () => {
    fc.assert(
      fc.property(questions, (question) => {
        const { ask, granted } = consentDue(question);
        for (const one of question.scopes) {
          if (ask.includes(one) || granted.includes(one)) continue;
          expect(one.isOptional).toBe(true);
          expect(question.decided).toContainEqual({ scopeId: one.id, isGranted: false });
        }
      }),
    );
  });

  test('once it is answered nothing is asked for any more', () => {
    fc.assert(
      fc.property(questions, fc.array(fc.string({ maxLength: 3 })), (question, checked) => {
        const { ask } = consentDue(question);
        const answers = answersOf(ask, new Set(checked));
        const kept = question.decided.filter(({ scopeId }) => !answers.some((one) => one.scopeId === scopeId));
        const after = consentDue({ ...question, decided: [...kept, ...answers], isAnswered: true });
        expect(after.ask).toEqual([]);
      }),
    );
  });

  test('who says more is asked for less', () => {
    fc.assert(
      fc.property(questions, (question) => {
        const all = question.scopes.map(({ id }) => ({ scopeId: id, isGranted: true }));
        const { ask } = consentDue({ ...question, decided: all });
        expect(consentDue(question).ask).toEqual(expect.arrayContaining([...ask]));
      }),
    );
  });
});
