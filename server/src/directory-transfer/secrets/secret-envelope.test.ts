import { describe, expect, test } from 'vitest';
import { secretEnvelope } from './secret-envelope.ts';

const ORG = '00oabcdefghijklmnopq';

describe('secrets under a passphrase', () => {
  test('open where they were sealed, and are the same text every time', async () => {
    const [one, other] = await Promise.all([
      secretEnvelope('correct horse battery', ORG),
      secretEnvelope('correct horse battery', ORG),
    ]);
    const sealed = one.seal('apps.secret of a', 'hush é');
    expect(other.open('apps.secret of a', sealed)).toBe('hush é');
    expect(other.seal('apps.secret of a', 'hush é')).toBe(sealed);
    expect(one.seal('apps.secret of b', 'hush é')).not.toBe(sealed);
    expect(sealed).not.toContain('hush');
    expect(() => one.open('apps.secret of b', sealed)).toThrow("can't be decrypted");
    expect(() => one.open('apps.secret of a', `${sealed.slice(0, -2)}AA`)).toThrow("can't be decrypted");
    expect(() => one.open('apps.secret of a', 'short')).toThrow('malformed');
  });

  test('open for nobody else: another passphrase, another org', async () => {
    const sealed = (await secretEnvelope('correct horse battery', ORG)).seal('p', 'hush');
    const others = [
      await secretEnvelope('correct horse batterz', ORG),
      await secretEnvelope('correct horse battery', '00o00000000000000000'),
    ];
    for (const other of others) expect(() => other.open('p', sealed)).toThrow("can't be decrypted");
  });
});
