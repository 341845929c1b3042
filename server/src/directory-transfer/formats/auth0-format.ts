import {
  parseTransferredHash,
  readPasswordText,
  type StoredPassword,
  type TransferredHash,
} from '../../platform/crypto/passwords/index.ts';
import {
  isMembers,
  type Members,
  membersOf,
  present,
  Reading,
  type ReadRow,
  textOf,
  withoutIdentity,
} from './user-record.ts';

const DIGESTS = { md5: 'MD5', sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' } as const;

/** Members that are imported, or whose loss is not worth reporting. */
const SAID_ELSEWHERE = new Set(
  [
    '_id,Id,user_id,email,email_verified,username,given_name,family_name,name,nickname,phone_number',
    'phone_verified,blocked,user_metadata,password_hash,passwordHash,connection,custom_password_hash',
    'password_set_date,tenant,_tmp_is_unique,created_at,updated_at,identities,last_login,last_ip',
    'logins_count,last_password_reset,version,Created At,Updated At',
  ].flatMap((names) => names.split(',')),
);

const ENCODINGS = ['utf8', 'hex', 'base64'] as const;

/** Decodes a member such as `{"value":"00","encoding":"hex"}`. */
function bytesOf(member: unknown, standard: (typeof ENCODINGS)[number]): Buffer | null {
  if (!isMembers(member)) return null;
  const encoding = ENCODINGS.find((known) => known === (member['encoding'] ?? standard));
  const value = textOf(member['value']);
  return encoding === undefined || value === null ? null : Buffer.from(value, encoding);
}

function digestOf(algorithm: keyof typeof DIGESTS, custom: Members): TransferredHash {
  const value = bytesOf(custom['hash'], 'hex')?.toString('base64');
  const salt = custom['salt'];
  if (salt === undefined || salt === null) return parseTransferredHash({ algorithm: DIGESTS[algorithm], value });
  const saltBytes = bytesOf(salt, 'utf8');
  if (saltBytes === null) return { problems: ['salt: must have a value in utf8, hex or base64.'] };
  const isBehind = isMembers(salt) && salt['position'] === 'suffix';
  return parseTransferredHash({
    algorithm: DIGESTS[algorithm],
    value,
    salt: saltBytes.toString('base64'),
    saltOrder: isBehind ? 'POSTFIX' : 'PREFIX',
  });
}

function scryptOf(custom: Members): TransferredHash {
  const value = bytesOf(custom['hash'], 'base64');
  return parseTransferredHash({
    algorithm: 'SCRYPT',
    cost: custom['cost'] ?? 16_384,
    blockSize: custom['blockSize'] ?? 8,
    parallelization: custom['parallelization'] ?? 1,
    keySize: custom['keylen'] ?? value?.length,
    salt: bytesOf(custom['salt'], 'utf8')?.toString('base64'),
    value: value?.toString('base64'),
  });
}

/** Reads `custom_password_hash`, a member of the Auth0 schema for bulk imports. */
function customHash(custom: Members): TransferredHash {
  const { algorithm, hash, password } = custom;
  const encoding = isMembers(password) ? (password['encoding'] ?? 'utf8') : 'utf8';
  if (encoding !== 'utf8') return { problems: ['password.encoding: must be utf8.'] };
  const digest = Object.keys(DIGESTS).find((name) => name === algorithm);
  if (digest !== undefined) return digestOf(digest as keyof typeof DIGESTS, custom);
  if (algorithm === 'scrypt') return scryptOf(custom);
  if (algorithm === 'bcrypt' || algorithm === 'argon2' || algorithm === 'pbkdf2') {
    return readPasswordText(isMembers(hash) ? (textOf(hash['value']) ?? '') : '');
  }
  const known = ['argon2', 'bcrypt', 'pbkdf2', 'scrypt', ...Object.keys(DIGESTS)];
  return { problems: [`algorithm: must be one of ${known.join(', ')}.`] };
}

function passwordOf(reading: Reading, members: Members): StoredPassword | null {
  const custom = members['custom_password_hash'];
  if (isMembers(custom)) return reading.password('custom_password_hash', customHash(custom));
  for (const name of ['passwordHash', 'password_hash']) {
    const text = textOf(members[name]);
    if (text !== null) return reading.password(name, readPasswordText(text));
  }
  return null;
}

/**
 * Reads a line of an Auth0 export of users or hashes, or an item of a file for bulk imports. The login is the email
 * address or, without one, the user name. `login` and `email` in `user_metadata` are left out, because users can edit
 * this metadata.
 */
export function readAuth0User(text: string): ReadRow {
  const members = membersOf(text);
  if (!isMembers(members)) return members;
  const reading = new Reading();
  for (const name of Object.keys(members)) if (!SAID_ELSEWHERE.has(name)) reading.leftOut.add(name.slice(0, 100));
  const { email, family_name: lastName, given_name: firstName, name, nickname, phone_number: mobilePhone } = members;
  const login = textOf(email) ?? members['username'];
  const displayName = name === email ? null : name;
  const nickName = nickname === name ? null : nickname;
  return reading.done({
    profile: {
      ...withoutIdentity(reading, 'user_metadata', members['user_metadata']),
      ...present({ login, email, firstName, lastName, displayName, nickName, mobilePhone }),
    },
    isText: true,
    isLenient: true,
    type: null,
    status: reading.boolean('blocked', members['blocked']) === true ? 'SUSPENDED' : null,
    password: passwordOf(reading, members),
    isEmailVerified: reading.boolean('email_verified', members['email_verified']) !== false,
    groups: [],
  });
}
