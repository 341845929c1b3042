import { pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import { hashSync as argon2Hash } from '@node-rs/argon2';
import { hashSync as bcryptHash } from '@node-rs/bcrypt';
import { afterAll, describe, expect, test } from 'vitest';
import { parseImportedHash, parseTransferredHash } from './imported-hash.ts';
import { createPasswordHasher } from './password-hasher.ts';
import { pbkdf2Hash, readPasswordText } from './password-text.ts';

const PASSWORD = 'Tr0ub4dor';
const KEY = { orgId: '00o1', addressPrefix: '192.0.2.0/24' };
const hasher = createPasswordHasher({ workers: 1, argon2: { memoryCost: 8, timeCost: 1, parallelism: 1 } });
afterAll(() => hasher.close());

const SALT = randomBytes(16);
const bare = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
const passlib = (bytes: Buffer): string => bare(bytes).replaceAll('+', '.');
const derived = (digest: string, bytes: number): Buffer => pbkdf2Sync(PASSWORD, SALT, 5_000, bytes, digest);

describe('hashes as other systems write them', () => {
  test.each([
    ['bcrypt', bcryptHash(PASSWORD, { cost: 4 })],
    ['bcrypt as $2y$', bcryptHash(PASSWORD, { cost: 4 }).replace('$2b$', '$2y$')],
    ['argon2id', argon2Hash(PASSWORD, { memoryCost: 64, timeCost: 1, parallelism: 1 })],
    ['PBKDF2 with SHA-512', `$pbkdf2-sha512$i=5000,l=64$${bare(SALT)}$${bare(derived('sha512', 64))}`],
    ['PBKDF2 with SHA-256, two blocks', `$pbkdf2-sha256$i=5000,l=64$${bare(SALT)}$${bare(derived('sha256', 64))}`],
    ['PBKDF2 with SHA-1', `$pbkdf2$5000$${passlib(SALT)}$${passlib(derived('sha1', 20))}`],
    ['scrypt', `$scrypt$ln=10,r=8,p=1$${bare(SALT)}$${bare(scryptSync(PASSWORD, SALT, 32, { N: 1_024, r: 8, p: 1 }))}`],
  ])('%s proves the right password alone', async (_, text) => {
    const hash = readPasswordText(text);
    if ('problems' in hash) throw new Error(hash.problems.join());
    expect(await hasher.verify(hash, PASSWORD, KEY)).toMatchObject({ ok: true });
    expect(await hasher.verify(hash, `${PASSWORD}x`, KEY)).toMatchObject({ ok: false });
  });

  test.each([
    '',
    'hunter2',
    '$2x$10$Ig4eeK2UN1k5aftUyTkniOldlfB3eD.4cmCZs3tBzp0A9jJWdhT0e',
    '$2b$31$Ig4eeK2UN1k5aftUyTkniOldlfB3eD.4cmCZs3tBzp0A9jJWdhT0e',
    '$argon2i$v=19$m=4096,t=3,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=4194304,t=3,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaGhhc2g',
    `$pbkdf2-sha256$i=1000000000,l=32$${bare(SALT)}$${bare(derived('sha256', 32))}`,
    `$scrypt$ln=30,r=8,p=1$${bare(SALT)}$${bare(derived('sha256', 32))}`,
    `$scrypt$ln=14,r=8,p=64$${bare(SALT)}$${bare(derived('sha256', 32))}`,
  ])('%.40s is refused', (text) => {
    expect(readPasswordText(text)).toHaveProperty('problems');
  });

  test('the API takes no more than before', () => {
    const pbkdf2 = pbkdf2Hash('SHA1_HMAC', 5_000, SALT, derived('sha1', 20));
    expect(pbkdf2).toMatchObject({ algorithm: 'PBKDF2', digestAlgorithm: 'SHA1_HMAC' });
    expect(parseImportedHash(pbkdf2)).toHaveProperty('problems');
    const argon2 = { algorithm: 'ARGON2ID', encoded: argon2Hash(PASSWORD, { memoryCost: 64, timeCost: 1 }) };
    expect(parseTransferredHash(argon2)).toEqual(argon2);
    expect(parseImportedHash(argon2)).toHaveProperty('problems');
  });
});
