import { describe, expect, test } from 'vitest';
import {
  assumed,
  assuming,
  foresee,
  foreseen,
  run,
  sendAhead,
  startAhead,
  type Tx,
} from '../../src/platform/postgres/index.ts';
import { context, insertion, keysIn, useChanges } from '../support/changes.ts';

const { database, newWork, seen, stored, work } = useChanges();

describe('a statement that is sent ahead', () => {
  test('is seen by later statements and by reactions, and commits with the event', async () => {
    await work(context, async (tx, record) => {
      sendAhead(tx, insertion('a'));
      expect(await keysIn(tx)).toEqual(['a']);
      sendAhead(tx, insertion('b'));
      record({ eventType: 'asked' });
    });
    expect(seen()).toEqual(['a', 'b']);
    expect(await stored()).toEqual({ changes: ['a', 'b'], outbox: ['asked'] });
  });

  test('prevents the commit by its failure, which is the error of the whole', async () => {
    await work(context, async (tx) => sendAhead(tx, insertion('a')));
    const failing = work(context, async (tx, record) => {
      sendAhead(tx, insertion('b'));
      sendAhead(tx, insertion('a'));
      record({ eventType: 'made' });
    });
    await expect(failing).rejects.toMatchObject({ code: 'E0000001', message: 'taken' });
    expect(await stored()).toEqual({ changes: ['a'], outbox: [] });
  });

  test('takes what was sent before it with it, and the connection is usable again', async () => {
    await work(context, async (tx) => sendAhead(tx, insertion('a')));
    const failing = work(context, async (tx, record) => {
      await run(tx, "insert into changes (key) values ('b')", []);
      sendAhead(tx, insertion('a'));
      record({ eventType: 'made' });
    });
    await expect(failing).rejects.toMatchObject({ code: 'E0000001', message: 'taken' });
    expect(await stored()).toEqual({ changes: ['a'], outbox: [] });
    await work(context, async (tx) => sendAhead(tx, insertion('c')));
    expect((await stored()).changes).toEqual(['a', 'c']);
  });

  test('is the cause of what fails after it', async () => {
    await work(context, async (tx) => sendAhead(tx, insertion('a')));
    const failing = work(context, async (tx) => {
      sendAhead(tx, insertion('a'));
      await keysIn(tx);
    });
    await expect(failing).rejects.toMatchObject({ code: 'E0000001', message: 'taken' });
    const refused = work(context, async (tx) => {
      sendAhead(tx, insertion('b'));
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect(await stored()).toEqual({ changes: ['a'], outbox: [] });
  });

  test('is run again with the whole after a serialisation failure', async () => {
    let runs = 0;
    await work(context, async (tx, record) => {
      runs += 1;
      sendAhead(tx, insertion(`run ${runs}`));
      if (runs < 3) sendAhead(tx, { text: "do $$ begin raise exception using errcode = '40001'; end $$", values: [] });
      record({ eventType: 'made' });
    });
    expect(runs).toBe(3);
    expect(await stored()).toEqual({ changes: ['run 3'], outbox: ['made'] });
  });

  test('belongs to a unit of work', () => {
    expect(() => sendAhead(database.db, insertion('a'))).toThrow('is not that of a unit of work');
  });
});

describe('a result that is awaited after the unit of work', () => {
  const inserting = (tx: Tx) =>
    startAhead(tx, () => run<{ key: string }>(tx, `insert into changes (key) values ('a') returning key`, []));

  test('is that of the commit', async () => {
    const { result } = await newWork()(context, async (tx) => inserting(tx));
    expect(await result).toEqual([{ key: 'a' }]);
    expect(await stored()).toEqual({ changes: ['a'], outbox: [] });
  });

  test('prevents the commit by its failure, whether or not anybody asks for it', async () => {
    await work(context, async (tx) => sendAhead(tx, insertion('a')));
    const failing = work(context, async (tx, record) => {
      record({ eventType: 'made' });
      return inserting(tx);
    });
    await expect(failing).rejects.toMatchObject({ code: 'E0000001', message: 'taken' });
    expect(await stored()).toEqual({ changes: ['a'], outbox: [] });
  });
});

describe('a decision that assumes something', () => {
  const assume = (condition: string) => ({ text: `select ${assumed(condition)}`, values: [] });
  const decided = (condition: string) =>
    work(context, async (tx, record) => {
      sendAhead(tx, insertion('early'));
      sendAhead(tx, assume(condition));
      record({ eventType: 'made' });
      return 'decided';
    });
  const otherwise = async () => 'decided again';

  test('is committed if it holds', async () => {
    expect(await assuming(() => decided('1 = 1'), otherwise)).toBe('decided');
    expect(await stored()).toEqual({ changes: ['early'], outbox: ['made'] });
  });

  test.each(['1 = 2', 'null'])('leaves no trace if it does not hold (%s), and is made again', async (condition) => {
    expect(await assuming(() => decided(condition), otherwise)).toBe('decided again');
    expect(await stored()).toEqual({ changes: [], outbox: [] });
  });

  test('is made again if a later statement shows that it does not hold', async () => {
    const reading = () =>
      work(context, async (tx) => {
        sendAhead(tx, assume('1 = 2'));
        return (await keysIn(tx)).join();
      });
    expect(await assuming(reading, otherwise)).toBe('decided again');
  });

  test('is not made again for another error', async () => {
    await work(context, async (tx) => sendAhead(tx, insertion('early')));
    await expect(assuming(() => decided('1 = 1'), otherwise)).rejects.toMatchObject({ message: 'taken' });
  });
});

describe('a read that was foreseen', () => {
  test('is taken once; then, and without it, the caller reads', async () => {
    await work(context, async (tx) => {
      foresee(tx, 'keys', () => keysIn(tx));
      sendAhead(tx, insertion('a'));
      expect(await foreseen(tx, 'keys', () => keysIn(tx))).toEqual([]);
      expect(await foreseen(tx, 'keys', () => keysIn(tx))).toEqual(['a']);
      expect(await foreseen(tx, 'other keys', () => keysIn(tx))).toEqual(['a']);
    });
    expect(await foreseen(database.db, 'keys', () => keysIn(database.db))).toEqual(['a']);
  });

  test('is the cause of what fails after it, if a statement of it fails', async () => {
    const failing = work(context, async (tx) => {
      foresee(tx, 'keys', () => run(tx, "do $$ begin raise exception using errcode = '55P03'; end $$", []));
      sendAhead(tx, insertion('a'));
    });
    await expect(failing).rejects.toMatchObject({ status: 503, code: 'E0000181' });
    expect(await stored()).toEqual({ changes: [], outbox: [] });
  });

  test('is read again with the whole after a deadlock', async () => {
    let runs = 0;
    await work(context, async (tx, record) => {
      runs += 1;
      if (runs < 3)
        foresee(tx, 'keys', () => run(tx, "do $$ begin raise exception using errcode = '40P01'; end $$", []));
      sendAhead(tx, insertion(`run ${runs}`));
      record({ eventType: 'made' });
    });
    expect(runs).toBe(3);
    expect(await stored()).toEqual({ changes: ['run 3'], outbox: ['made'] });
  });

  test('fails for those who take it, and for nobody else', async () => {
    const broken = () => Promise.reject(new Error('unread'));
    await work(context, async (tx) => foresee(tx, 'keys', broken));
    const taking = work(context, async (tx) => {
      foresee(tx, 'keys', broken);
      await foreseen(tx, 'keys', broken);
    });
    await expect(taking).rejects.toThrow('unread');
  });
});
