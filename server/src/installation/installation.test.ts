import { describe, expect, test } from 'vitest';
import { loadConfig } from '../settings/config.ts';
import { openMasterKey } from './installation.ts';

const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const open = (GATEHOUSE_MASTER_KEY: string, GATEHOUSE_MASTER_KEY_PREVIOUS: string) =>
  openMasterKey(loadConfig({ GATEHOUSE_MASTER_KEY, GATEHOUSE_MASTER_KEY_PREVIOUS }));

describe('the master key and the one before it', () => {
  test('are two, or one', async () => {
    const alone = await open(keyOf(1), '');
    expect(alone.previous).toBeNull();
    const both = await open(keyOf(2), keyOf(1));
    expect(both.previous?.id).toBe(alone.id);
    expect(both.id).not.toBe(alone.id);
  });

  test('are not the same', async () => {
    await expect(open(keyOf(1), keyOf(1))).rejects.toThrow('names the master key itself');
  });

  test('a file that is not there is named, and a text that is no key is not repeated', async () => {
    await expect(open(keyOf(1), './nowhere.key')).rejects.toThrow('There is no master key file ./nowhere.key');
    expect(() => loadConfig({ GATEHOUSE_MASTER_KEY_PREVIOUS: 'hunter2-hunter2' })).toThrow(
      /GATEHOUSE_MASTER_KEY_PREVIOUS must be 32 bytes in base64(?!.*hunter2)/,
    );
  });
});
