import { describe, expect, test } from 'vitest';
import { DamagedSegmentError } from '../segments/bytes.ts';
import { asDamage, despiteRetention, MissingSegmentError, tellingPlace } from './damage.ts';

const failing = (error: Error) => () => Promise.reject(error);
const refusal = (code: string): Error => Object.assign(new Error('refused'), { code });

test.each(['22003', '22P02', '0A000', '54000', 'XX001'])('a value that PostgreSQL refuses with %s is damage', (code) =>
  expect(asDamage(failing(refusal(code)))).rejects.toThrow(DamagedSegmentError),
);

test.each(['57014', '55P03', '08006', '42P01', '53100'])('a failure with %s is not damage', async (code) => {
  const error = refusal(code);
  await expect(asDamage(failing(error))).rejects.toBe(error);
});

describe('a place', () => {
  test('is added to damage', async () => {
    const read = tellingPlace(() => 'org 1', failing(new DamagedSegmentError('the bytes end too early')));
    await expect(read).rejects.toThrow(new DamagedSegmentError('the bytes end too early (org 1)'));
  });

  test.each([new Error('lost'), new MissingSegmentError('gone')])('is not added to %s', async (error) => {
    await expect(tellingPlace(() => 'org 1', failing(error))).rejects.toBe(error);
  });
});

describe('a look-up', () => {
  test('starts over if a segment has left', async () => {
    let tries = 0;
    const found = await despiteRetention(async () => {
      tries += 1;
      if (tries < 3) throw new MissingSegmentError('gone');
      return tries;
    });
    expect(found).toBe(3);
  });

  test('ends if a segment is missing each time', async () => {
    let tries = 0;
    const lookUp = despiteRetention(async () => {
      tries += 1;
      throw new MissingSegmentError('gone');
    });
    await expect(lookUp).rejects.toThrow(MissingSegmentError);
    expect(tries).toBe(20);
  });

  test('does not start over after damage', async () => {
    let tries = 0;
    const lookUp = despiteRetention(async () => {
      tries += 1;
      throw new DamagedSegmentError('damaged');
    });
    await expect(lookUp).rejects.toThrow(DamagedSegmentError);
    expect(tries).toBe(1);
  });
});
