import { describe, expect, test } from 'vitest';
import { toOrgId } from '../../../kernel/words/ids.ts';
import { pairToken, presenceToken, wordToken } from '../../rendering/terms/search-terms.ts';
import { LOG_FIELDS } from '../query-fields.ts';
import { readLogQuery } from '../query-parameters.ts';
import { recheckOf } from '../query-recheck.ts';
import { sealedSieveOf, termsOf } from './sealed-sieve.ts';

const orgId = toOrgId('00oaaaaaaaaaaaaaaaaa');
const NOW = new Date('2026-11-28T12:00:00.000Z');
const queryOf = (filter: string, q = '') =>
  readLogQuery(
    [
      ['filter', filter],
      ['q', q],
    ],
    NOW,
    LOG_FIELDS,
  );

const BODY = JSON.stringify({
  uuid: 'u',
  actor: { id: 'a', detailEntry: { key: 'value', deep: { key: 'value' } } },
  target: [{ id: 'one', displayName: 'New-York Jones' }, { id: null }, 'odd'],
  debugContext: {
    debugData: { group: { name: 'x' }, 'group.name': 'y', number: 5, truth: true, empty: '', list: ['p'] },
  },
});
const KIND = { eventType: 'user.lifecycle.create', severity: 'INFO', outcomeResult: 'SUCCESS' };
const accepts = (filter: string, q = ''): boolean =>
  sealedSieveOf(orgId, queryOf(filter, q)).accepts?.({ body: BODY, kind: KIND, kept: null }) ?? true;

describe('members of open objects', () => {
  test.each([
    ['debugContext.debugData.group.name eq "y"', true],
    ['debugContext.debugData.group.name eq "x"', false],
    ['debugContext.debugData.group pr', false],
    ['debugContext.debugData.number eq "5"', true],
    ['debugContext.debugData.truth eq "true"', true],
    ['debugContext.debugData.empty pr', false],
    ['debugContext.debugData.list pr', false],
    ['debugContext.debugData.constructor pr', false],
    ['actor.detailEntry.key eq "value"', true],
    ['actor.detailEntry.deep.key eq "value"', false],
    ['actor.detailEntry.deep pr', false],
    ['target.id eq "one"', true],
    ['target.id eq "two"', false],
    ['target.type pr', false],
  ])('%s is %s in rows and in segments', (filter, expected) => {
    const { filter: expression } = queryOf(filter);
    if (expression === null) throw new Error('there is a filter');
    expect(recheckOf([], [expression])?.(BODY)).toBe(expected);
    expect(accepts(filter)).toBe(expected);
  });

  test.each([
    ['debugContext.debugData.number gt "4"', true],
    ['debugContext.debugData.group.name ne "y"', false],
    ['not (debugContext.debugData.group.name eq "y")', false],
    ['debugContext.debugData.group co "x"', false],
  ])('%s is %s in segments', (filter, expected) => expect(accepts(filter)).toBe(expected));
});

test('keywords and the filter must both match', () => {
  expect(accepts('', 'york')).toBe(true);
  expect(accepts('target.id eq "one"', 'york')).toBe(true);
  expect(accepts('target.id eq "two"', 'york')).toBe(false);
  expect(accepts('target.id eq "one"', 'yor')).toBe(false);
});

test('an erased event has only what its segment kept', () => {
  const kept = { uuid: '00000000-0000-4000-8000-000000000001', digest: Buffer.alloc(32), erasedAt: 1 };
  const erased = (filter: string) => sealedSieveOf(orgId, queryOf(filter)).accepts?.({ body: '{}', kind: KIND, kept });
  expect(erased('uuid sw "00000000"')).toBe(true);
  expect(erased('eventType eq "user.lifecycle.create" and outcome.result eq "SUCCESS"')).toBe(true);
  expect(erased('severity eq "WARN"')).toBe(false);
  expect(erased('actor.id pr')).toBe(false);
  expect(erased('target.id pr')).toBe(false);
});

test('a filter on what segments keep of each event does not parse its body', () => {
  const body = 'not JSON';
  const acceptsUnparsed = (filter: string) =>
    sealedSieveOf(orgId, queryOf(filter)).accepts?.({ body, kind: KIND, kept: null });
  expect(acceptsUnparsed('eventType sw "user." and severity eq "INFO" and outcome.result pr')).toBe(true);
  expect(acceptsUnparsed('not (outcome.result eq "SUCCESS")')).toBe(false);
  expect(() => acceptsUnparsed('actor.id eq "a"')).toThrow(SyntaxError);
});

describe('search terms', () => {
  const conditionOf = (filter: string, q = '') => sealedSieveOf(orgId, queryOf(filter, q)).condition;
  const type = pairToken(orgId, 'eventType', 'user.session.start');
  const target = pairToken(orgId, 'target.id', 'one');

  test.each([
    ['', '', []],
    ['', 'Jones', [wordToken(orgId, 'jones')]],
    ['eventType eq "user.session.start"', '', [type]],
    ['actor.id eq "a"', '', [pairToken(orgId, 'actor.id', 'a')]],
    ['actor.id eq ""', '', []],
    ['target.id eq "one" and displayMessage co "x"', '', [target]],
    ['target.id eq "one" or displayMessage co "x"', '', []],
    ['target.id eq "one" or eventType eq "user.session.start"', '', [target, type]],
    ['not (target.id eq "one")', '', []],
    ['legacyEventType pr', '', [presenceToken(orgId, 'legacyEventType')]],
    ['severity eq "INFO"', '', []],
  ])('of %j and %j narrow a search', (filter, q, expected) => {
    const condition = conditionOf(filter, q);
    expect(condition === null ? [] : termsOf(condition)).toEqual(expected);
  });
});
