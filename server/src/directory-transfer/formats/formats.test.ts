import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readAuth0User } from './auth0-format.ts';
import { csvFormat, delimiterOf } from './csv-format.ts';
import { readKeycloakUser } from './keycloak-format.ts';
import { readOwnLine } from './ndjson-format.ts';
import { rowOf } from './raw-rows.ts';
import { isRefused, type ReadRow, type UserRecord } from './user-record.ts';

const BCRYPT = '$2b$10$Ig4eeK2UN1k5aftUyTkniOldlfB3eD.4cmCZs3tBzp0A9jJWdhT0e';

function record(row: ReadRow): UserRecord {
  if (isRefused(row)) throw new Error(JSON.stringify(row));
  return row;
}
const fieldsOf = (row: ReadRow): string[] => (isRefused(row) ? row.map(({ field }) => field) : []);

describe('csv', () => {
  const format = csvFormat('login,email,profile.status,status,groups,type,passwordHash', ',', false);

  test('attributes by the names in the first row; empty cells are absent', () => {
    const { groups, password, profile, status, type } = record(
      format.read(`a@b.co,,=1+2,SUSPENDED,"Sales; R&D;Sales",,${BCRYPT}`),
    );
    expect(profile).toEqual({ login: 'a@b.co', status: '=1+2' });
    expect({ groups, status, type }).toEqual({ groups: ['Sales', 'R&D'], status: 'SUSPENDED', type: null });
    expect(password).toMatchObject({ algorithm: 'BCRYPT', workFactor: 10 });
  });

  test.each([
    ['a@b.co', ['']],
    ['a@b.co,,,,,,,', ['']],
    ['a@b.co,"x"y,,,,,', ['']],
    ['a@b.co,,,LOCKED_OUT,,,', ['status']],
    ['a@b.co,,,,,,secret', ['passwordHash']],
    [`a@b.co,,,,,,$2b$31$${BCRYPT.slice(7)}`, ['passwordHash']],
    // Verifying a password against any of these hashes would take too long.
    [`a@b.co,,,,,,$2b$13$${BCRYPT.slice(7)}`, ['passwordHash']],
    [`a@b.co,,,,,,"$argon2id$v=19$m=262144,t=4,p=1$${'c'.repeat(22)}$${'c'.repeat(43)}"`, ['passwordHash']],
    [`a@b.co,,,,,,"$scrypt$ln=18,r=8,p=1$${'c'.repeat(22)}$${'c'.repeat(43)}"`, ['passwordHash']],
    [`a@b.co,,,,,,$pbkdf2-sha512$600001$${'c'.repeat(22)}$${'c'.repeat(86)}`, ['passwordHash']],
  ])('%s is refused for %j', (row, fields) => {
    expect(fieldsOf(format.read(row))).toEqual(fields);
  });

  test.each([
    `$2b$12$${BCRYPT.slice(7)}`,
    `"$argon2id$v=19$m=262144,t=3,p=1$${'c'.repeat(22)}$${'c'.repeat(43)}"`,
    `"$scrypt$ln=17,r=8,p=1$${'c'.repeat(22)}$${'c'.repeat(42)}A"`,
    `$pbkdf2-sha512$600000$${'c'.repeat(22)}$${'c'.repeat(85)}A`,
  ])('%s is not too dear', (hash) => {
    expect(record(format.read(`a@b.co,,,,,,${hash}`)).password).not.toBeNull();
  });

  test('a refusal does not repeat what stands there', () => {
    expect(JSON.stringify(format.read('a@b.co,,,,,,hunter2'))).not.toContain('hunter2');
  });

  test.each([
    ['login,,email', 'no name'],
    ['login,login', 'twice'],
    ['login,profile.login', 'twice'],
    ['status,status', 'twice'],
    ['login,password', 'only be imported as hashes'],
    [Array.from({ length: 1_001 }, (_, index) => `c${index}`).join(','), '1000'],
  ])('a header such as %.30s is refused', (header, part) => {
    expect(() => csvFormat(header, ',', false)).toThrow(part);
  });

  test.each([
    ['login,email', ','],
    ['login;email', ';'],
    ['login\temail', '\t'],
    ['login', ','],
  ])('finds the delimiter of %j', (header, delimiter) => {
    expect(delimiterOf(header)).toBe(delimiter);
  });

  test('attributes called __proto__ and constructor are names', () => {
    const { profile } = record(csvFormat('login,__proto__,constructor', ',', false).read('a@b.co,x,y'));
    expect(Object.keys(profile)).toEqual(['login', '__proto__', 'constructor']);
  });
});

describe('ndjson', () => {
  const line = (value: unknown) => readOwnLine(JSON.stringify(value), false);

  test('what creates a user over the API, and names', () => {
    const hash = { algorithm: 'SHA-256', value: createHash('sha256').update('x').digest('base64') };
    const read = record(
      line({ profile: { age: 7 }, groups: ['A'], type: 'staff', credentials: { password: { hash } } }),
    );
    expect(read).toMatchObject({ profile: { age: 7 }, isText: false, groups: ['A'], type: 'staff' });
    expect(read.password).toMatchObject({ algorithm: 'SHA-256' });
  });

  test.each<[unknown, string[]]>([
    [{ profile: {}, id: '00u' }, ['id']],
    [{ profile: [] }, ['profile']],
    [{ profile: {}, groups: 'A' }, ['groups']],
    [{ profile: {}, type: 7 }, ['type']],
    [{ profile: {}, credentials: { password: { value: 'x' } } }, ['credentials.password']],
    [{ profile: {}, credentials: { recovery_question: {} } }, ['credentials']],
    [{ profile: {}, passwordHash: BCRYPT, credentials: { password: { hash: {} } } }, ['passwordHash']],
    [{ profile: {}, groups: Array.from({ length: 501 }, (_, index) => `g${index}`) }, ['groups']],
    [7, ['']],
  ])('%j is refused for %j', (value, fields) => {
    expect(fieldsOf(line(value))).toEqual(fields);
  });

  test.each(['{', '{"profile":{}}x', '', '['.repeat(100_000)])('what is no JSON is refused: %.20s', (text) => {
    expect(fieldsOf(readOwnLine(text, false))).toEqual(['']);
  });

  test('brackets within strings are no depth', () => {
    expect(record(line({ profile: { note: '['.repeat(100), other: '\\"{{' } })).profile).toMatchObject({
      other: '\\"{{',
    });
  });
});

describe('keycloak', () => {
  const user = (more: Readonly<Record<string, unknown>> = {}) =>
    readKeycloakUser(
      JSON.stringify({ username: 'ada', email: 'ada@b.co', firstName: 'Ada', lastName: 'L', enabled: true, ...more }),
    );
  const credential = (data: Readonly<Record<string, unknown>>, bytes: number) => ({
    credentials: [
      {
        type: 'password',
        credentialData: JSON.stringify(data),
        secretData: JSON.stringify({
          value: Buffer.alloc(bytes, 7).toString('base64'),
          salt: Buffer.alloc(16, 9).toString('base64'),
          additionalParameters: {},
        }),
      },
      { type: 'otp', credentialData: '{}', secretData: '{}' },
    ],
  });

  test('the e-mail address is the login where the user name is none', () => {
    expect(record(user()).profile).toEqual({ login: 'ada@b.co', email: 'ada@b.co', firstName: 'Ada', lastName: 'L' });
    expect(record(user({ username: 'ada@work.co' })).profile['login']).toBe('ada@work.co');
  });

  test('argon2id becomes its text form; what else proves the user is left out by name', () => {
    const data = {
      hashIterations: 5,
      algorithm: 'argon2',
      additionalParameters: {
        hashLength: ['32'],
        memory: ['7168'],
        type: ['id'],
        version: ['1.3'],
        parallelism: ['1'],
      },
    };
    const { leftOut, password } = record(user(credential(data, 32)));
    expect(password).toMatchObject({ algorithm: 'ARGON2ID' });
    expect(JSON.stringify(password)).toContain('$argon2id$v=19$m=7168,t=5,p=1$');
    expect(leftOut).toContain('credentials of type otp');
  });

  test.each([
    ['pbkdf2', 20_000, 64, 'SHA1_HMAC', 20],
    ['pbkdf2-sha256', 27_500, 64, 'SHA256_HMAC', 32],
    ['pbkdf2-sha512', 210_000, 64, 'SHA512_HMAC', 64],
  ])('%s keeps its first block', (algorithm, hashIterations, bytes, digestAlgorithm, keySize) => {
    expect(record(user(credential({ algorithm, hashIterations }, bytes))).password).toMatchObject({
      algorithm: 'PBKDF2',
      digestAlgorithm,
      keySize,
      iterationCount: hashIterations,
    });
  });

  test.each([
    [{ algorithm: 'pbkdf2-sha256', hashIterations: 1e9 }],
    [{ algorithm: 'bcrypt', hashIterations: 10 }],
    [{ algorithm: 'argon2', hashIterations: 5, additionalParameters: { type: ['i'], version: ['1.3'] } }],
    [
      {
        algorithm: 'argon2',
        hashIterations: 5,
        additionalParameters: { type: ['id'], version: ['1.3'], memory: ['4194304'], parallelism: ['1'] },
      },
    ],
  ])('%j is refused', (data) => {
    expect(new Set(fieldsOf(user(credential(data, 32))))).toEqual(new Set(['credentials']));
  });

  test('statuses, groups, attributes', () => {
    expect(record(user({ enabled: false })).status).toBe('SUSPENDED');
    const changing = { ...credential({ algorithm: 'pbkdf2-sha256', hashIterations: 27_500 }, 32) };
    expect(record(user({ ...changing, requiredActions: ['UPDATE_PASSWORD'] })).status).toBe('PASSWORD_EXPIRED');
    expect(record(user({ groups: ['/sales', '/sales/emea'] })).groups).toEqual(['sales', 'sales/emea']);
    expect(record(user({ attributes: { phoneNumber: ['1'], x: ['a', 'b'] } })).profile).toMatchObject({
      mobilePhone: ['1'],
      x: ['a', 'b'],
    });
    expect(fieldsOf(user({ serviceAccountClientId: 'app' }))).toEqual(['serviceAccountClientId']);
    expect(record(user({ realmRoles: ['admin'], federatedIdentities: [] })).leftOut).toEqual(
      expect.arrayContaining(['realmRoles', 'federatedIdentities']),
    );
  });

  test('a plain password is refused', () => {
    expect(fieldsOf(user({ credentials: [{ type: 'password', value: 'x' }] }))).toEqual(['credentials']);
  });
});

describe('auth0', () => {
  const user = (more: Readonly<Record<string, unknown>>) =>
    readAuth0User(JSON.stringify({ email: 'ada@b.co', given_name: 'Ada', family_name: 'L', ...more }));
  const salt = { value: 'c2FsdA==', encoding: 'base64' };

  test('profile, metadata, blocked', () => {
    const read = record(user({ name: 'Ada L', blocked: true, user_metadata: { city: 'X' }, app_metadata: {} }));
    expect(read).toMatchObject({ status: 'SUSPENDED', leftOut: ['app_metadata'] });
    expect(read.profile).toEqual({
      login: 'ada@b.co',
      email: 'ada@b.co',
      firstName: 'Ada',
      lastName: 'L',
      displayName: 'Ada L',
      city: 'X',
    });
  });

  test.each([
    [{ passwordHash: BCRYPT }, { algorithm: 'BCRYPT' }],
    [{ password_hash: BCRYPT.replace('$2b$', '$2a$') }, { algorithm: 'BCRYPT' }],
    [{ custom_password_hash: { algorithm: 'bcrypt', hash: { value: BCRYPT } } }, { algorithm: 'BCRYPT' }],
    [
      { custom_password_hash: { algorithm: 'sha256', hash: { value: '00'.repeat(32), encoding: 'hex' }, salt } },
      { algorithm: 'SHA-256', salt: 'c2FsdA==', saltOrder: 'PREFIX' },
    ],
    [
      {
        custom_password_hash: {
          algorithm: 'md5',
          hash: { value: '00'.repeat(16), encoding: 'hex' },
          salt: { value: 'pepper', position: 'suffix' },
        },
      },
      { algorithm: 'MD5', salt: Buffer.from('pepper').toString('base64'), saltOrder: 'POSTFIX' },
    ],
    [
      {
        custom_password_hash: {
          algorithm: 'scrypt',
          hash: { value: Buffer.alloc(32).toString('base64'), encoding: 'base64' },
          salt,
          keylen: 32,
          cost: 16_384,
        },
      },
      { algorithm: 'SCRYPT', cost: 16_384, blockSize: 8, parallelization: 1, keySize: 32 },
    ],
  ])('%j is a hash', (more, expected) => {
    expect(record(user(more)).password).toMatchObject(expected);
  });

  test.each([
    { algorithm: 'md4', hash: { value: '00' } },
    { algorithm: 'hmac', hash: { value: '00' } },
    { algorithm: 'sha256', hash: { value: '00', encoding: 'hex' } },
    { algorithm: 'sha256', hash: { value: '00'.repeat(32), encoding: 'hex' }, password: { encoding: 'ucs2' } },
    { algorithm: 'bcrypt', hash: {} },
    { algorithm: 'scrypt', hash: { value: 'AA==' }, salt, cost: 2 ** 30 },
    { algorithm: 'sha256', hash: { value: '00'.repeat(32), encoding: 'hex' }, salt: 'pepper' },
    { algorithm: 'sha256', hash: { value: '00'.repeat(32), encoding: 'hex' }, salt: { value: 's', encoding: 'utf16' } },
    { algorithm: 'constructor' },
  ])('%j is refused', (hash) => {
    expect(new Set(fieldsOf(user({ custom_password_hash: hash })))).toEqual(new Set(['custom_password_hash']));
  });
});

test('NUL and half of a pair are refused wherever they stand, in one problem; whole pairs are characters', () => {
  const line = (text: string): string => `{"profile":{"login":"a@b.co","nickName":"${text}"}}`;
  for (const text of ['\\u0000', '\\ud83d', '\\ude00\\ud83d']) {
    expect(fieldsOf(readOwnLine(line(text), false))).toEqual(['']);
  }
  expect(fieldsOf(readOwnLine('{"profile":{"a\\u0000":1}}', false))).toEqual(['']);
  expect(record(readOwnLine(line('\\ud83d\\ude00'), false)).profile['nickName']).toBe('\u{1f600}');
  expect(rowOf(7, Buffer.from('a\0b'))).toMatchObject({ number: 7, problem: { field: '' } });
});

test.each([
  [{}, true],
  [{ email_verified: true, emailVerified: true }, true],
  [{ email_verified: false, emailVerified: false }, false],
])('an address is verified unless the file says that it is not: %j, %j', (said, expected) => {
  const text = JSON.stringify({ email: 'a@b.co', username: 'a@b.co', ...said });
  expect(record(readAuth0User(text)).isEmailVerified).toBe(expected);
  expect(record(readKeycloakUser(text)).isEmailVerified).toBe(expected);
  expect(record(readOwnLine(JSON.stringify({ profile: { email: 'a@b.co' } }), false)).isEmailVerified).toBe(true);
  expect(record(csvFormat('email', ',', false).read('a@b.co')).isEmailVerified).toBe(true);
});
