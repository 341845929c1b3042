import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../server/src/system-log/write/events.ts';
import { EMITTED_EVENTS, OWED_EVENTS } from '../../server/test/contract/specification-events.ts';
import { emittedIn, emittersOf, OWED } from './emitters.ts';

const isKnown = (name: string): boolean => /^[ab]\.[a-z]$/.test(name);

describe('what a file emits', () => {
  test.each([
    ["record({ eventType: 'a.b', target })", ['a.b']],
    ["record({ eventType: isOn ? 'a.b' : 'a.c' })", ['a.b', 'a.c']],
    ["const table = { activate: { from: [], event: 'a.b' } } as const", ['a.b']],
    ["record(eventOf('a.b'))", ['a.b']],
    ["const TYPE = 'a.b'; record({ eventType: TYPE })", ['a.b']],
    ["const TYPE = 'a.b'; if (type === TYPE) return", []],
    ["const TYPE = 'a.b'; await countEvents(TYPE)", []],
    ["const reactions = { 'a.b': [end] }", []],
    ["if (eventType === 'a.b') return 'a.c'", []],
    ["const names = new Set(['a.b'])", []],
    ["type Name = 'a.b'", []],
    ['// record a.b', []],
  ])('%s', (text, emitted) => {
    expect([...emittedIn(text, isKnown)]).toEqual(emitted);
  });
});

const emitters = emittersOf(fileURLToPath(new URL('../../server/src/', import.meta.url)), new Set(EVENT_TYPES));

test('every type of the catalogue is emitted somewhere, but for those that are owed', () => {
  expect(EVENT_TYPES.filter((eventType) => !emitters.has(eventType)).sort()).toEqual(Object.keys(OWED).sort());
});

describe('the types that the specification names', () => {
  test('are emitted, but for those that are owed', () => {
    expect(EMITTED_EVENTS.filter((eventType) => !emitters.has(eventType))).toEqual([]);
  });

  test('are owed only as long as the catalogue has not got them', () => {
    const known: readonly string[] = EVENT_TYPES;
    expect(Object.keys(OWED_EVENTS).filter((eventType) => known.includes(eventType))).toEqual([]);
  });
});
