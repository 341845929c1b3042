import { afterEach, describe, expect, test, vi } from 'vitest';
import { type OrgId, toOrgId } from '../../kernel/words/ids.ts';
import { gatherReads } from './gathered-reads.ts';

interface Row {
  readonly id: string;
  readonly of: OrgId;
  readonly statement: number;
}

const ORG = toOrgId('00oA');
const OTHER = toOrgId('00oB');

/** Creates a store whose statements end when the test says so. */
function storeUnderTest() {
  const sent: { orgId: OrgId; ids: readonly string[]; end: (error?: Error) => void }[] = [];
  const find = gatherReads<Row>(
    (orgId, ids) =>
      new Promise((resolve, reject) => {
        const statement = sent.length;
        const rows = ids.filter((id) => id !== 'unknown').map((id) => ({ id, of: orgId, statement }));
        // The rows are in another order than the ids, as they may be in the database.
        sent.push({ orgId, ids, end: (error) => (error === undefined ? resolve(rows.reverse()) : reject(error)) });
      }),
  );
  return { find, sent };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

afterEach(() => vi.useRealTimers());

describe('gathered reads', () => {
  test('share one statement if they begin together', async () => {
    const { find, sent } = storeUnderTest();
    const reads = Promise.all(['a', 'b', 'unknown', 'a'].map((id) => find(ORG, id)));
    await turn();
    expect(sent.map(({ ids }) => ids)).toEqual([['a', 'b', 'unknown']]);
    sent[0]?.end();
    expect((await reads).map((row) => row?.id)).toEqual(['a', 'b', undefined, 'a']);
  });

  test('never share a statement with another org', async () => {
    const { find, sent } = storeUnderTest();
    const reads = Promise.all([find(ORG, 'a'), find(OTHER, 'a')]);
    await turn();
    expect(sent.map(({ ids, orgId }) => [orgId, ids])).toEqual([
      [ORG, ['a']],
      [OTHER, ['a']],
    ]);
    for (const { end } of sent) end();
    expect((await reads).map((row) => row?.of)).toEqual([ORG, OTHER]);
  });

  test('get no result of a statement that was sent before they began', async () => {
    const { find, sent } = storeUnderTest();
    const first = find(ORG, 'a');
    await turn();
    const second = find(ORG, 'a');
    await turn();
    for (const { end } of sent) end();
    expect([(await first)?.statement, (await second)?.statement]).toEqual([0, 1]);
  });

  test('wait while two statements are under way, without delaying another org', async () => {
    const { find, sent } = storeUnderTest();
    const reads = [find(ORG, 'a')];
    await turn();
    reads.push(find(ORG, 'b'));
    await turn();
    reads.push(find(ORG, 'c'), find(ORG, 'd'));
    const other = find(OTHER, 'x');
    await turn();
    expect(sent.map(({ ids }) => ids)).toEqual([['a'], ['b'], ['x']]);
    sent[2]?.end();
    expect((await other)?.id).toBe('x');
    sent[1]?.end();
    await turn();
    expect(sent[3]?.ids).toEqual(['c', 'd']);
    sent[0]?.end();
    sent[3]?.end();
    expect((await Promise.all(reads)).map((row) => row?.id)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('are at most 64 in a statement', async () => {
    const { find, sent } = storeUnderTest();
    const ids = Array.from({ length: 130 }, (_, index) => `id${index}`);
    const reads = Promise.all(ids.map((id) => find(ORG, id)));
    await turn();
    expect(sent.map((one) => one.ids.length)).toEqual([64, 64]);
    sent[0]?.end();
    await turn();
    expect(sent[2]?.ids).toEqual(['id128', 'id129']);
    for (const { end } of sent) end();
    expect((await reads).map((row) => row?.id)).toEqual(ids);
  });

  test('fail together with their statement, and later reads do not', async () => {
    const { find, sent } = storeUnderTest();
    const failed = Promise.allSettled([find(ORG, 'a'), find(ORG, 'b')]);
    await turn();
    sent[0]?.end(new Error('lost'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = find(ORG, 'a');
    await turn();
    sent[1]?.end();
    expect((await next)?.id).toBe('a');
  });

  test('are refused after 5 s of waiting, and those that were sent are not', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { find, sent } = storeUnderTest();
    const first = [find(ORG, 'a')];
    await turn();
    first.push(find(ORG, 'b'));
    await turn();
    const early = find(ORG, 'c').catch((error: unknown) => error);
    vi.advanceTimersByTime(3_000);
    const late = find(ORG, 'd');
    vi.advanceTimersByTime(2_000);
    expect(await early).toMatchObject({ code: 'E0000181' });
    sent[0]?.end();
    sent[1]?.end();
    await turn();
    expect(sent[2]?.ids).toEqual(['d']);
    vi.advanceTimersByTime(10_000);
    sent[2]?.end();
    expect((await Promise.all([...first, late])).map((row) => row?.id)).toEqual(['a', 'b', 'd']);
  });

  test('are refused if 1,000 others wait already', async () => {
    const { find, sent } = storeUnderTest();
    const first = [find(ORG, 'a')];
    await turn();
    first.push(find(ORG, 'b'));
    await turn();
    const waiting = Array.from({ length: 1_000 }, (_, index) => find(ORG, `id${index}`));
    await expect(find(ORG, 'x')).rejects.toMatchObject({ code: 'E0000181' });
    const other = find(OTHER, 'x');
    await turn();
    sent[2]?.end();
    expect((await other)?.id).toBe('x');
    for (let next = 0; next < sent.length; next += 1) {
      sent[next]?.end();
      await turn();
    }
    expect(await Promise.all([...first, ...waiting])).toHaveLength(1_002);
  });
});
