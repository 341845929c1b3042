import { beforeAll, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { defineAttributes } from '../support/schemas.ts';
import { useService } from '../support/use-service.ts';
import { followPages, searchPath, userPath } from '../support/users.ts';

const { service } = useService();

describe('search by custom attributes', () => {
  const own = beforeTests(() => service.newOrg());
  const found = async (search: string, rest = '') =>
    (await own.admin.get(searchPath(search, rest))).body.map(
      ({ profile }: { profile: { nickName: string } }) => profile.nickName,
    );

  beforeAll(async () => {
    await defineAttributes(own, {
      room: { title: 'Room', type: 'string' },
      ratio: { title: 'Ratio', type: 'number' },
      vip: { title: 'VIP', type: 'boolean' },
      tags: { title: 'Tags', type: 'array', items: { type: 'string' } },
      codes: { title: 'Codes', type: 'array', items: { type: 'integer' } },
    });
    const people = [
      { nickName: 'a', room: 'Attic 1', ratio: -2.5, vip: true, tags: ['red', 'Blue'], codes: [1, 10] },
      { nickName: 'b', room: 'attic 2', ratio: 0, vip: false, tags: ['green'], codes: [2] },
      { nickName: 'c', room: 'Cellar', ratio: 10, tags: ['red', 'redder', 'reddest'] },
      { nickName: 'd', room: '', ratio: 9, tags: [], codes: [] },
    ];
    for (const profile of people) await own.createUser({ profile });
  });

  test.each([
    ['profile.room eq "ATTIC 1"', ['a']],
    ['profile.room sw "attic"', ['a', 'b']],
    ['profile.room pr', ['a', 'b', 'c']],
    ['profile.room gt "attic 1"', ['b', 'c']],
    ['not (profile.room pr) and profile.nickName pr', ['d']],
    ['profile.ratio eq 0', ['b']],
    ['profile.ratio gt 0', ['c', 'd']],
    ['profile.ratio le 0', ['a', 'b']],
    ['profile.ratio lt 9.5 and profile.ratio ge -2.5', ['a', 'b', 'd']],
    ['profile.vip eq true', ['a']],
    ['profile.vip eq false', ['b']],
    ['profile.vip pr', ['a', 'b']],
    ['profile.tags eq "blue"', ['a']],
    ['profile.tags eq "red"', ['a', 'c']],
    ['profile.tags sw "red"', ['a', 'c']],
    ['profile.tags pr', ['a', 'b', 'c']],
    ['profile.tags eq "red" and profile.tags eq "blue"', ['a']],
    ['profile.tags eq "red" or profile.tags eq "green"', ['a', 'b', 'c']],
    ['not (profile.tags eq "red") and profile.nickName pr', ['b', 'd']],
    ['profile.codes gt 2', ['a']],
    ['profile.codes ge 2', ['a', 'b']],
    ['profile.codes eq 2', ['b']],
  ])('%s', async (search, expected) => {
    expect((await found(search)).toSorted()).toEqual(expected);
    expect(await found(search, '&sortBy=profile.nickName')).toEqual(expected);
    expect(await found(search, '&sortBy=profile.nickName&sortOrder=desc')).toEqual(expected.toReversed());
    const pages = await followPages(own.admin, searchPath(search, '&limit=1'));
    expect(pages.users.map(({ profile }) => profile.nickName).toSorted()).toEqual(expected);
  });

  test('sorts by numbers as numbers, users without one last', async () => {
    const sorted = await found('profile.nickName pr', '&sortBy=profile.ratio');
    expect(sorted).toEqual(['a', 'b', 'd', 'c']);
    const byVip = await found('profile.nickName pr', '&sortBy=profile.vip&sortOrder=desc');
    expect(byVip.slice(0, 2)).toEqual(['a', 'b']);
  });

  test('sees its own writes', async () => {
    const user = await own.createUser({ profile: { tags: ['new'] } });
    const ids = async (search: string) =>
      (await own.admin.get(searchPath(search))).body.map(({ id }: { id: string }) => id);
    expect(await ids('profile.tags eq "new"')).toEqual([user.id]);
    await own.admin.post(userPath(user.id), { body: { profile: { tags: ['newer'] } } });
    expect(await ids('profile.tags eq "new"')).toEqual([]);
    expect(await ids('profile.tags eq "newer"')).toEqual([user.id]);
    await own.admin.post(`${userPath(user.id)}/lifecycle/suspend`);
    expect(await ids('profile.tags eq "newer"')).toEqual([user.id]);
  });

  test.each([
    ['profile.room co "tti"', 'E0000031'],
    ['profile.room ew "1"', 'E0000031'],
    ['profile.ratio sw 1', 'E0000031'],
    ['profile.vip gt true', 'E0000031'],
    ['profile.ratio eq "0"', 'E0000053'],
    ['profile.vip eq "true"', 'E0000053'],
    ['profile.tags eq 1', 'E0000053'],
    ['profile.none eq "1"', 'E0000053'],
    ['profile.constructor pr', 'E0000053'],
    ['room eq "x"', 'E0000053'],
  ])('refuses %s', async (search, errorCode) => {
    expect(await own.admin.get(searchPath(search))).toMatchObject({ status: 400, body: { errorCode } });
  });

  test('does not sort by lists, nor by what there is not', async () => {
    for (const name of ['profile.tags', 'profile.none']) {
      expect(await own.admin.get(searchPath('status pr', `&sortBy=${name}`))).toMatchObject({ status: 400 });
    }
  });

  test("another org's attributes are none of this one's", async () => {
    const other = await service.newOrg();
    expect(await other.admin.get(searchPath('profile.room pr'))).toMatchObject({ status: 400 });
  });
});
