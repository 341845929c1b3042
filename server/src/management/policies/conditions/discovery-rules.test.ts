import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import type { PolicyNames } from '../types/document-rules.ts';
import { readRuleDocument, wireRuleDocument } from '../types/rules.ts';
import { POLICY_TYPE_ROWS } from '../types/type-rules.ts';
import { checkExpression } from './expression.ts';

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

const discovery = (conditions: unknown, idp: unknown = { providers: [{ type: 'SVC' }] }) =>
  readRuleDocument('IDP_DISCOVERY', { conditions, actions: { idp } }, words);

describe('a routing rule', () => {
  test('without anything said is for every login', () => {
    const document = discovery(undefined);
    const { actions, conditions } = POLICY_TYPE_ROWS.IDP_DISCOVERY.standard?.rule ?? {};
    expect(document).toEqual({ type: 'IDP_DISCOVERY', conditions, actions });
    expect(wireRuleDocument(document, words)).toEqual({
      conditions: {
        network: { connection: 'ANYWHERE' },
        userIdentifier: { patterns: [] },
        app: { include: [], exclude: [] },
      },
      actions: { idp: { providers: [{ type: 'SVC' }], idpSelectionType: 'SPECIFIC' } },
    });
  });

  test('what is printed is read as the same again', () => {
    const document = discovery(
      {
        network: { connection: 'OFF_NETWORK' },
        userIdentifier: {
          type: 'ATTRIBUTE',
          attribute: 'department',
          patterns: [{ matchType: 'EQUALS', value: 'Sales' }],
        },
        app: { include: [{ type: 'APP', id: '0oa1' }], exclude: [{ type: 'APP_TYPE', name: 'oidc_client' }] },
        platform: { include: [{ type: 'MOBILE', os: { type: 'IOS' } }], exclude: [{ type: 'DESKTOP' }] },
      },
      {
        providers: [
          { id: '0oa2', type: 'SAML2', name: 'Corp' },
          { type: 'SVC', id: '' },
        ],
        shouldFallBackToSvc: false,
      },
    );
    expect(document.actions).toEqual({
      providers: [
        { id: '0oa2', type: 'SAML2' },
        { id: null, type: 'INTERNAL' },
      ],
    });
    expect(readRuleDocument('IDP_DISCOVERY', wireRuleDocument(document, words), words)).toEqual(document);
  });

  const pattern = { matchType: 'SUFFIX', value: 'example.com' };
  test.each([
    [{ userIdentifier: { patterns: [{ matchType: 'ENDS_WITH', value: 'x' }] } }],
    [{ userIdentifier: { patterns: [{ matchType: 'SUFFIX' }] } }],
    [{ userIdentifier: { patterns: [{ matchType: 'SUFFIX', value: ' ' }] } }],
    [{ userIdentifier: { patterns: [{ matchType: 'SUFFIX', value: 'x'.repeat(256) }] } }],
    [{ userIdentifier: { patterns: Array.from({ length: 21 }, () => pattern) } }],
    [{ userIdentifier: { type: 'ATTRIBUTE', patterns: [pattern] } }],
    [{ userIdentifier: { type: 'ATTRIBUTE', attribute: 'shoeSize', patterns: [pattern] } }],
    [{ userIdentifier: { type: 'ATTRIBUTE', attribute: 'email', patterns: [] } }],
    [{ userIdentifier: { type: 'IDENTIFIER', attribute: 'email', patterns: [pattern] } }],
    [{ userIdentifier: { type: 'OTHER' } }],
    [{ app: { include: [{ type: 'APP' }] } }],
    [{ app: { include: [{ type: 'APP_TYPE', id: '0oa1' }] } }],
    [{ app: { include: [{ id: '0oa1' }] } }],
    [{ platform: { include: [{ type: 'FRIDGE' }] } }],
    [{ platform: { include: [{ os: { type: 'MACOS' } }] } }],
    [{ platform: { include: [{ os: { type: 'IOS', version: { matchType: 'SEMVER', value: '1' } } }] } }],
    [{ people: {} }],
  ])('refuses %j', (conditions) => {
    expect(causesOf(() => discovery(conditions))).toHaveLength(1);
  });

  test.each([
    [{ idpSelectionType: 'DYNAMIC', matchCriteria: [{ providerExpression: 'x' }], providers: [] }, 'not supported yet'],
    [{ providers: [{ type: 'SVC' }], matchCriteria: [{ providerExpression: 'x' }] }, 'not supported yet'],
    [{ providers: [{ type: 'SVC' }], shouldFallBackToSvc: true }, 'not supported yet'],
    [{ providers: [{ type: 'IWA' }] }, 'not supported yet'],
    [{ providers: [] }, 'cannot be left blank'],
    [{}, 'cannot be left blank'],
    [{ providers: [{}] }, 'cannot be left blank'],
    [{ providers: [{ type: 'SAML2' }] }, 'cannot be left blank'],
    [{ providers: [{ type: 'SVC', id: '0oa1' }] }, 'has no id'],
    [{ providers: [{ id: '0oa1' }, { id: '0oa1' }] }, 'once'],
    [{ providers: Array.from({ length: 11 }, (_, n) => ({ id: `0oa${n}` })) }, 'at most 10'],
    [{ idpSelectionType: 'ANY', providers: [{ type: 'SVC' }] }, 'must be one of'],
  ])('refuses the action %j', (idp, cause) => {
    expect(causesOf(() => discovery(null, idp))).toEqual([expect.stringContaining(cause)]);
  });
});

describe('checkExpression', () => {
  test.each(['.*@(eu|us)\\.example\\.com', '^ada@', '(a+)+b'])('takes %s', (text) => {
    expect(causesOf(() => checkExpression('value', text))).toEqual([]);
  });
  test.each(['[a-', '(?=a)', '(', 'a**', '(a{1000}){1000}', '\\pL{1000}', 'x{999}', '(?:'.repeat(120)])(
    'refuses %s',
    (text) => {
      expect(causesOf(() => checkExpression('value', text))).toHaveLength(1);
    },
  );
});
