import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { effectiveProfile, inheritedProfile, ownProfile, type PatchOperation, patched } from './profile-rules.ts';

const NONE: ReadonlySet<string> = new Set();

describe('inheritedProfile', () => {
  test('the first group wins, then the others, then the mappings', () => {
    const groups = [{ role: 'first' }, { role: 'second', team: 'blue' }];
    const mapped = { role: 'mapped', team: 'mapped', name: 'Ada' };
    expect(inheritedProfile(groups, mapped, NONE)).toEqual({ role: 'first', team: 'blue', name: 'Ada' });
  });

  test('a null of a group says nothing', () => {
    expect(inheritedProfile([{ role: null }, { role: 'second' }], {}, NONE)).toEqual({ role: 'second' });
  });

  test('values of groups add up where the schema says so', () => {
    const groups = [{ roles: ['a', 'b'] }, { roles: ['b', 'c'] }];
    expect(inheritedProfile(groups, {}, new Set(['roles']))).toEqual({ roles: ['a', 'b', 'c'] });
    expect(inheritedProfile(groups, {}, NONE)).toEqual({ roles: ['a', 'b'] });
    expect(inheritedProfile([], {}, new Set(['roles']))).toEqual({});
  });
});

describe('effectiveProfile', () => {
  test('own values come first, nulls too; what is said nowhere is null or absent', () => {
    const effective = effectiveProfile({ a: 'own', b: null }, { a: 'given', b: 'given', c: 'given' }, ['a', 'd']);
    expect(effective).toEqual({ a: 'own', b: null, c: 'given', d: null });
  });

  test('names of the prototype are names like all others', () => {
    const own = JSON.parse('{"__proto__": "x", "constructor": "y"}');
    const effective = effectiveProfile(own, {}, ['toString']);
    expect(Object.entries(effective).toSorted()).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['toString', null],
    ]);
    expect(Object.getPrototypeOf(effective)).toBe(Object.prototype);
  });
});

describe('ownProfile', () => {
  test('what is given replaces, what is not given stays', () => {
    expect(ownProfile({ a: 1, b: 2 }, { b: 3 }, {})).toEqual({ a: 1, b: 3 });
  });

  test('what says the same as what is inherited is none of his own', () => {
    expect(ownProfile({ a: 1 }, { a: 'x', b: null }, { a: 'x' })).toEqual({});
    expect(ownProfile({}, { a: null }, { a: 'x' })).toEqual({ a: null });
  });

  test('sending back what was read changes nothing', () => {
    const profile = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'y', null));
    fc.assert(
      fc.property(profile, profile, (own, inherited) => {
        const start = ownProfile({}, own, inherited);
        const read = effectiveProfile(start, inherited, ['a', 'b', 'c']);
        const back = effectiveProfile(ownProfile(start, read, inherited), inherited, ['a', 'b', 'c']);
        expect(back).toEqual(read);
      }),
    );
  });
});

describe('patched', () => {
  const apply = (...operations: readonly PatchOperation[]) => patched({ manager: 'Ada', role: 'dev' }, operations);

  test('replaces and removes single attributes, in order', () => {
    expect(
      apply(
        { op: 'replace', path: '/profile/manager', value: 'Grace' },
        { op: 'replace', path: '/profile/team', value: 'blue' },
        { op: 'remove', path: '/profile/role' },
      ).profile,
    ).toEqual({ manager: 'Grace', team: 'blue' });
  });

  test('replaces the whole profile, and the priority', () => {
    expect(apply({ op: 'replace', path: '/profile', value: { a: 1 } }).profile).toEqual({ a: 1 });
    expect(apply({ op: 'replace', path: '/priority', value: 4 })).toEqual({
      profile: { manager: 'Ada', role: 'dev' },
      priority: 4,
    });
  });

  test('reads escaped names (RFC 6901)', () => {
    expect(apply({ op: 'replace', path: '/profile/a~1b~0c', value: 1 }).profile).toMatchObject({ 'a/b~c': 1 });
    expect(Object.keys(apply({ op: 'replace', path: '/profile/__proto__', value: 1 }).profile)).toContain('__proto__');
  });

  test.each<[string, PatchOperation]>([
    ['another operation', { op: 'add', path: '/profile/a', value: 1 }],
    ['no operation', { path: '/profile/a', value: 1 }],
    ['no path', { op: 'replace', value: 1 }],
    ['another path', { op: 'replace', path: '/id', value: 'x' }],
    ['a path too deep', { op: 'replace', path: '/profile/a/b', value: 1 }],
    ['no value', { op: 'replace', path: '/profile/a' }],
    ['a profile that is none', { op: 'replace', path: '/profile', value: 'x' }],
    ['a list for a profile', { op: 'replace', path: '/profile', value: [] }],
    ['the removal of all', { op: 'remove', path: '/profile' }],
    ['the removal of what is not there', { op: 'remove', path: '/profile/toString' }],
  ])('refuses %s', (_, operation) => {
    expect(() => apply(operation)).toThrow(ApiError);
  });
});
