import { createHash, pbkdf2Sync } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { hashSync as bcryptHash } from '@node-rs/bcrypt';
import { afterAll, describe, expect, test } from 'vitest';
import { createPasswordHasher, type ImportedHash, parseImportedHash, type StoredPassword } from './index.ts';

const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };
const KEY = { orgId: '00o1', addressPrefix: '192.0.2.0/24' };
const hasher = createPasswordHasher({ workers: 1, argon2: CHEAP });
afterAll(() => hasher.close());

const SALT = Buffer.from('pepper and salt');
const imported = (input: object): ImportedHash => {
  const parsed = parseImportedHash(input);
  if ('problems' in parsed) throw new Error(parsed.problems.join('; '));
  return parsed;
};
const digest = (algorithm: string, parts: (string | Buffer)[], salting: object = {}): ImportedHash => {
  const hash = createHash(algorithm.replace('-', ''));
  for (const part of parts) hash.update(part);
  return imported({ algorithm, value: hash.digest('base64'), ...salting });
};
const bcrypt = (password: string): ImportedHash => {
  const encoded = bcryptHash(password, { cost: 4 });
  return imported({ algorithm: 'BCRYPT', workFactor: 4, salt: encoded.slice(7, 29), value: encoded.slice(29) });
};
const pbkdf2 = (name: 'sha256' | 'sha512', keySize: number): ImportedHash =>
  imported({
    algorithm: 'PBKDF2',
    iterationCount: 4096,
    keySize,
    digestAlgorithm: `${name.toUpperCase()}_HMAC`,
    salt: SALT.toString('base64'),
    value: pbkdf2Sync('Tr0ub4dor', SALT, 4096, keySize, name).toString('base64'),
  });
const PREFIX = { salt: SALT.toString('base64'), saltOrder: 'PREFIX' };
const POSTFIX = { ...PREFIX, saltOrder: 'POSTFIX' };

describe('hash and verify', () => {
  test('hashes to argon2id with its parameters, never twice alike', async () => {
    const [one, other] = await Promise.all([hasher.hash('Tr0ub4dor', KEY), hasher.hash('Tr0ub4dor', KEY)]);
    expect(one.encoded).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
    expect(one.encoded).not.toBe(other.encoded);
    expect(await hasher.verify(one, 'Tr0ub4dor', KEY)).toEqual({ ok: true, needsRehash: false });
    expect(await hasher.verify(one, 'tr0ub4dor', KEY)).toEqual({ ok: false, needsRehash: false });
  });

  test('the composed and the decomposed spelling are one password', async () => {
    const stored = await hasher.hash('Ame\u0301lie-2024', KEY);
    expect(await hasher.verify(stored, 'Am\u00e9lie-2024', KEY)).toMatchObject({ ok: true });
  });

  test.each(['', 'a\0b', 'x'.repeat(1001)])('takes no password that cannot be one: %j', async (password) => {
    await expect(hasher.hash(password, KEY)).rejects.toThrow(RangeError);
    const stored = digest('SHA-256', [password]);
    expect(await hasher.verify(stored, password, KEY)).toEqual({ ok: false, needsRehash: false });
  });

  test('asks for a new hash when the parameters have become stronger', async () => {
    const stored = await hasher.hash('Tr0ub4dor', KEY);
    const stronger = createPasswordHasher({ workers: 1, argon2: { ...CHEAP, timeCost: 2 } });
    expect(await stronger.verify(stored, 'Tr0ub4dor', KEY)).toEqual({ ok: true, needsRehash: true });
    expect(await stronger.verify(stored, 'wrong', KEY)).toEqual({ ok: false, needsRehash: false });
    await stronger.close();
  });

  test.each<[string, StoredPassword]>([
    ['bcrypt', bcrypt('Tr0ub4dor')],
    ['SHA-512', digest('SHA-512', ['Tr0ub4dor'])],
    ['SHA-256, salt before', digest('SHA-256', [SALT, 'Tr0ub4dor'], PREFIX)],
    ['SHA-256, salt behind', digest('SHA-256', ['Tr0ub4dor', SALT], POSTFIX)],
    ['SHA-1', digest('SHA-1', [SALT, 'Tr0ub4dor'], PREFIX)],
    ['MD5', digest('MD5', ['Tr0ub4dor', SALT], POSTFIX)],
    ['PBKDF2 with SHA-256', pbkdf2('sha256', 32)],
    ['PBKDF2 with SHA-512', pbkdf2('sha512', 20)],
  ])('verifies an imported hash and asks for ours: %s', async (_, stored) => {
    expect(await hasher.verify(stored, 'Tr0ub4dor', KEY)).toEqual({ ok: true, needsRehash: true });
    expect(await hasher.verify(stored, 'Tr0ub4dor ', KEY)).toEqual({ ok: false, needsRehash: false });
  });

  test('imported hashes match the bytes as given, and their composed form', async () => {
    const decomposed = digest('SHA-256', ['e\u0301']);
    const composed = digest('SHA-256', ['\u00e9']);
    expect(await hasher.verify(decomposed, 'e\u0301', KEY)).toMatchObject({ ok: true });
    expect(await hasher.verify(composed, 'e\u0301', KEY)).toMatchObject({ ok: true });
    expect(await hasher.verify(decomposed, '\u00e9', KEY)).toMatchObject({ ok: false });
  });

  test('bcrypt authenticates nothing beyond the bytes that it reads', async () => {
    const stored = bcrypt('a'.repeat(72));
    expect(await hasher.verify(stored, 'a'.repeat(72), KEY)).toMatchObject({ ok: true });
    expect(await hasher.verify(stored, 'a'.repeat(73), KEY)).toMatchObject({ ok: false });
    expect(await hasher.verify(bcrypt('é'.repeat(40)), 'é'.repeat(40), KEY)).toMatchObject({ ok: false });
  });

  test('a hash that was taken before it was too dear is verified still', async () => {
    const most = pbkdf2('sha512', 64);
    const stored = { ...most, algorithm: 'PBKDF2', iterationCount: 620_000 } as StoredPassword;
    expect(parseImportedHash(stored)).toMatchObject({ problems: [expect.stringMatching(/^iterationCount: /)] });
    const value = pbkdf2Sync('Tr0ub4dor', SALT, 620_000, 64, 'sha512').toString('base64');
    const verification = await hasher.verify({ ...stored, value } as StoredPassword, 'Tr0ub4dor', KEY);
    expect(verification).toEqual({ ok: true, needsRehash: true });
  });

  test.each<StoredPassword>([
    { algorithm: 'ARGON2ID', encoded: '' },
    { algorithm: 'ARGON2ID', encoded: '$argon2id$v=19$m=4194304,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaGhhc2g' },
    { algorithm: 'BCRYPT', workFactor: 31, salt: 'Ig4eeK2UN1k5aftUyTkniO', value: 'ldlfB3eD.4cmCZs3tBzp0A9jJWdhT0e' },
    { algorithm: 'MD5', salt: null, saltOrder: 'PREFIX', value: '' },
  ])('a row that is malformed or too dear authenticates nobody: %o', async (stored) => {
    expect(await hasher.verify(stored, 'Tr0ub4dor', KEY)).toEqual({ ok: false, needsRehash: false });
  });

  test.each([{ memoryCost: 4_194_304 }, { timeCost: 0 }, { parallelism: 1.5 }])(
    'refuses to start with %o',
    (change) => {
      expect(() => createPasswordHasher({ workers: 1, argon2: { ...CHEAP, ...change } })).toThrow(RangeError);
    },
  );
});

describe('ampleMilliseconds', () => {
  const DEAR = { kind: 'BCRYPT', units: 2 ** 12 } as const;

  test('is more than the dearest takes, and than one of ours where nobody has another', () => {
    const ours = hasher.ampleMilliseconds([], 'Tr0ub4dor');
    expect(ours).toBeGreaterThan(0);
    expect(hasher.ampleMilliseconds([{ kind: 'SCRYPT', units: 2 ** 20 }], 'Tr0ub4dor')).toBeGreaterThan(
      2 ** 20 * 0.00025,
    );
    expect(hasher.ampleMilliseconds([DEAR, { kind: 'DIGEST', units: 1 }], 'x')).toBe(
      hasher.ampleMilliseconds([DEAR], 'x'),
    );
  });

  test('counts both spellings where the password has two', () => {
    const once = hasher.ampleMilliseconds([DEAR], 'Am\u00e9lie');
    expect(hasher.ampleMilliseconds([DEAR], 'Ame\u0301lie')).toBe(2 * once);
  });

  test('follows what such work takes here', async () => {
    const learning = createPasswordHasher({ workers: 1, argon2: CHEAP });
    const before = learning.ampleMilliseconds([{ kind: 'DIGEST', units: 1 }], 'x');
    await learning.verify(digest('SHA-256', ['Tr0ub4dor']), 'wrong', KEY);
    expect(learning.ampleMilliseconds([{ kind: 'DIGEST', units: 1 }], 'x')).not.toBe(before);
    await learning.close();
  });
});

describe('the queue', () => {
  const OVERLOADED = { status: 503, headers: { 'retry-after': '1' } };

  test('what could not be served in time is refused at once, and another org is not', async () => {
    // With a maximum wait of zero, a call that must wait for a thread is rejected.
    const busy = createPasswordHasher({ workers: 1, argon2: CHEAP, maximumWaitMilliseconds: 0 });
    const first = busy.hash('Tr0ub4dor', KEY);
    await expect(busy.hash('Tr0ub4dor', KEY)).rejects.toMatchObject(OVERLOADED);
    expect(busy.queueDepth()).toBe(0);
    expect(await first).toMatchObject({ algorithm: 'ARGON2ID' });
    await busy.close();
  });

  test('a flood from one org gives way to another org', async () => {
    const busy = createPasswordHasher({ workers: 1, argon2: CHEAP, maximumWaitMilliseconds: 0.05 });
    const flood = Array.from({ length: 50 }, () => busy.hash('Tr0ub4dor', KEY));
    const guest = busy.hash('Tr0ub4dor', { ...KEY, orgId: '00o2' });
    expect(busy.queueDepth()).toBeLessThan(51);
    const outcomes = await Promise.allSettled(flood);
    expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(10);
    expect(await guest).toMatchObject({ algorithm: 'ARGON2ID' });
    await busy.close();
  });

  test.each([1, 2])('imported hashes of one org never hold all threads (%d)', async (workers) => {
    const busy = createPasswordHasher({ workers, argon2: CHEAP });
    const ours = await busy.hash('Tr0ub4dor', KEY);
    // The hash is so costly that the guest finishes first, even if a busy machine is slow to run the guest's thread.
    const dear: ImportedHash = { ...bcrypt('Tr0ub4dor'), algorithm: 'BCRYPT', workFactor: 12 } as ImportedHash;
    await Promise.all([busy.verify(bcrypt('x'), 'y', KEY), busy.verify(ours, 'Tr0ub4dor', KEY)]);
    const done: string[] = [];
    const note = (name: string) => () => done.push(name);
    const attack = Array.from({ length: workers }, () => busy.verify(dear, 'wrong', KEY).then(note('dear')));
    const guest = busy.verify(ours, 'Tr0ub4dor', { ...KEY, orgId: '00o2' }).then(note('guest'));
    await Promise.all([...attack, guest]);
    expect(done[0]).toBe('guest');
    await busy.close();
  });

  test('the event loop turns while threads hash', async () => {
    const slow = createPasswordHasher({ workers: 1, argon2: { memoryCost: 65_536, timeCost: 4, parallelism: 1 } });
    const progress = { isDone: false };
    const hashing = slow.hash('Tr0ub4dor', KEY).then(() => {
      progress.isDone = true;
    });
    let turns = 0;
    while (!progress.isDone) {
      await new Promise(setImmediate);
      turns += 1;
    }
    await hashing;
    expect(turns).toBeGreaterThan(100);
    await slow.close();
  });

  test.runIf(process.platform === 'linux')('the threads stand back behind those of requests', async () => {
    const threads = await readdir('/proc/self/task');
    const fresh = createPasswordHasher({ workers: 1, argon2: CHEAP });
    await fresh.hash('Tr0ub4dor', KEY);
    const added = (await readdir('/proc/self/task')).filter((thread) => !threads.includes(thread));
    const own = getPriority();
    expect(added.map((thread) => getPriority(Number(thread)))).toContain(Math.min(19, own + 5));
    expect(getPriority(process.pid)).toBe(own);
    await fresh.close();
  });

  test('close answers what waits and what runs, and takes nothing more', async () => {
    const closing = createPasswordHasher({ workers: 1, argon2: CHEAP });
    const pending = Array.from({ length: 3 }, () => closing.hash('Tr0ub4dor', KEY));
    expect(closing.queueDepth()).toBe(2);
    const refusals = Promise.all(pending.map((hashing) => expect(hashing).rejects.toMatchObject(OVERLOADED)));
    await closing.close();
    await refusals;
    await expect(closing.hash('Tr0ub4dor', KEY)).rejects.toMatchObject(OVERLOADED);
  });
});
