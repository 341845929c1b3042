import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { OrgId } from '../../kernel/words/ids.ts';
import { dropEverywhere } from './other-workers.ts';

const ONE = 'one' as OrgId;
const OTHER = 'other' as OrgId;

function worker() {
  const dropped: string[] = [];
  const told: unknown[] = [];
  let hear: (news: unknown) => void = () => undefined;
  const drop = dropEverywhere(
    (orgId, caches) => {
      for (const name of caches) dropped.push(`${orgId} ${name}`);
    },
    {
      tell: (news) => told.push(news),
      onNews: (heard) => {
        hear = heard;
      },
    },
  );
  return { drop, dropped, told, hear: (news: unknown) => hear(news) };
}

test('a change drops entries here at once, and all changes of a turn are one message', async () => {
  const { drop, dropped, told } = worker();
  drop(ONE, ['zones']);
  drop(OTHER, ['policies']);
  drop(ONE, ['zones', 'orgs']);
  expect(dropped).toEqual(['one zones', 'other policies', 'one zones', 'one orgs']);
  expect(told).toEqual([]);
  await turn();
  const news = [
    { orgId: ONE, caches: ['zones', 'orgs'] },
    { orgId: OTHER, caches: ['policies'] },
  ];
  expect(told).toEqual([news]);
  drop(OTHER, ['orgs']);
  await turn();
  expect(told).toEqual([news, [{ orgId: OTHER, caches: ['orgs'] }]]);
});

test('a change that voids nothing is no news', async () => {
  const { drop, told } = worker();
  drop(ONE, []);
  await turn();
  expect(told).toEqual([]);
});

test('what another worker tells is dropped, and not passed on', async () => {
  const { dropped, hear, told } = worker();
  hear([{ orgId: ONE, caches: ['credentials', 'themes'] }]);
  hear('nonsense');
  await turn();
  expect(dropped).toEqual(['one credentials', 'one themes']);
  expect(told).toEqual([]);
});
