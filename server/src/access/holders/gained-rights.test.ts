import { expect, test } from 'vitest';
import type { HeldRole } from '../../kernel/words/held-role.ts';
import { wholeRole } from '../../kernel/words/held-role.ts';
import { hasGainedRights } from './gained-rights.ts';

const groups = (...groupIds: readonly string[]): HeldRole => ({
  type: 'HELP_DESK_ADMIN',
  custom: null,
  targets: { groupIds, everyone: false, appIds: [], appNames: [] },
});
const narrowed = (...include: readonly string[]): HeldRole => ({
  type: 'CUSTOM',
  targets: null,
  custom: {
    permissions: [{ name: 'users.read', conditions: { include } }],
    resources: [{ kind: 'users', key: null, excluded: [] }],
  },
});
const SUPER = wholeRole('SUPER_ADMIN');
const HELP_DESK = wholeRole('HELP_DESK_ADMIN');

test.each<[string, readonly HeldRole[], readonly HeldRole[], boolean]>([
  ['nothing', [], [], false],
  ['a first role', [], [HELP_DESK], true],
  ['the same role', [HELP_DESK], [HELP_DESK], false],
  ['the same role once more, by a group', [HELP_DESK], [HELP_DESK, HELP_DESK], false],
  ['a stronger role', [HELP_DESK], [HELP_DESK, SUPER], true],
  ['a weaker one', [SUPER], [SUPER, HELP_DESK], false],
  ['a role taken away', [SUPER, HELP_DESK], [HELP_DESK], false],
  ['a wider target', [groups('a')], [groups('a', 'b')], true],
  ['no target any more', [groups('a')], [HELP_DESK], true],
  ['a narrower target', [groups('a', 'b')], [groups('b')], false],
  ['the same targets in another order', [groups('a', 'b')], [groups('b', 'a')], false],
  ['the same conditions', [narrowed('login')], [narrowed('login')], false],
  ['other conditions', [narrowed('login')], [narrowed('login', 'email')], true],
])('%s', (_name, rolesBefore, rolesNow, expected) => {
  expect(hasGainedRights({ rolesBefore, rolesNow })).toBe(expected);
});
