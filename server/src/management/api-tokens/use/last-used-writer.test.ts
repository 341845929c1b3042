import { describe, expect, test } from 'vitest';
import type { LastUse } from '../store.ts';
import { createLastUsedWriter, LAST_USED_INTERVAL_MILLISECONDS } from './last-used-writer.ts';

const START = new Date('2026-11-20T12:00:00.000Z');
const after = (milliseconds: number): Date => new Date(START.getTime() + milliseconds);
const DUE = after(LAST_USED_INTERVAL_MILLISECONDS);

function setUp(store: () => Promise<void> = async () => undefined) {
  const written: [string, readonly LastUse[]][] = [];
  const writer = createLastUsedWriter(async (orgId, uses) => {
    await store();
    written.push([orgId, uses]);
  });
  return { writer, written };
}

describe('createLastUsedWriter', () => {
  test('notes nothing within ten minutes of what is stored', async () => {
    const { writer, written } = setUp();
    writer.note('00oone', '00Ta', START, after(LAST_USED_INTERVAL_MILLISECONDS - 1));
    expect(writer.waiting('00oone', '00Ta')).toBeNull();
    await writer.flush();
    expect(written).toEqual([]);
  });

  test('writes the first use that is due, once, whatever follows', async () => {
    const { writer, written } = setUp();
    writer.note('00oone', '00Ta', START, DUE);
    writer.note('00oone', '00Ta', START, after(LAST_USED_INTERVAL_MILLISECONDS + 5_000));
    expect(writer.waiting('00oone', '00Ta')).toEqual(DUE);
    await writer.flush();
    await writer.flush();
    expect(written).toEqual([['00oone', [{ tokenId: '00Ta', usedAt: DUE }]]]);
    expect(writer.waiting('00oone', '00Ta')).toBeNull();
  });

  test('writes org by org', async () => {
    const { writer, written } = setUp();
    writer.note('00oone', '00Ta', START, DUE);
    writer.note('00oone', '00Tb', START, DUE);
    writer.note('00otwo', '00Ta', START, DUE);
    await writer.flush();
    expect(written.map(([orgId, uses]) => [orgId, uses.length])).toEqual([
      ['00oone', 2],
      ['00otwo', 1],
    ]);
  });

  test('what could not be written waits on', async () => {
    let isDown = true;
    const { writer, written } = setUp(async () => {
      if (isDown) throw new Error('down');
    });
    writer.note('00oone', '00Ta', START, DUE);
    await expect(writer.flush()).rejects.toThrow('down');
    expect(writer.waiting('00oone', '00Ta')).toEqual(DUE);
    isDown = false;
    await writer.flush();
    expect(written).toHaveLength(1);
  });
});
