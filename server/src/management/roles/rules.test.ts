import { expect, test } from 'vitest';
import { base32 } from './rules.ts';

test.each([
  ['APP_ADMIN', 'IFIFAX2BIRGUSTQ'],
  ['HELP_DESK_ADMIN', 'JBCUYUC7IRCVGS27IFCE2SKO'],
  ['USER_ADMIN', 'KVJUKUS7IFCE2SKO'],
  ['GROUP_MEMBERSHIP_ADMIN', 'I5JE6VKQL5GUKTKCIVJFGSCJKBPUCRCNJFHA'],
  ['', ''],
])('base32 of %j is what clients know (contract section 2)', (text, expected) => {
  expect(base32(text)).toBe(expected);
});
