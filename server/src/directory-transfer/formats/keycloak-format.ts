import { isEmailAddress } from '../../management/schemas/index.ts';
import {
  parseTransferredHash,
  pbkdf2Hash,
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

const PBKDF2_DIGESTS = {
  pbkdf2: 'SHA1_HMAC',
  'pbkdf2-sha256': 'SHA256_HMAC',
  'pbkdf2-sha512': 'SHA512_HMAC',
} as const;

const ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['phone', 'mobilePhone'],
  ['phoneNumber', 'mobilePhone'],
  ['phone_number', 'mobilePhone'],
  ['mobile', 'mobilePhone'],
]);

/** Members that are imported, that are checked for roles below, or whose loss is not worth reporting. */
const SAID_ELSEWHERE = new Set(
  [
    'id,createdTimestamp,username,email,emailVerified,firstName,lastName,enabled,totp,attributes',
    'credentials,requiredActions,groups,notBefore,access,disableableCredentialTypes,realmRoles',
    'clientRoles,origin,self',
  ].flatMap((names) => names.split(',')),
);

/** Keycloak exports `credentialData` and `secretData` as JSON documents inside strings. */
function document(value: unknown): Members {
  if (typeof value !== 'string') return isMembers(value) ? value : {};
  const members = membersOf(value);
  return isMembers(members) ? members : {};
}

const bytesOf = (value: unknown): Buffer => Buffer.from(textOf(value) ?? '', 'base64');
const bare = (bytes: Buffer): string => bytes.toString('base64').replace(/={1,2}$/, '');

/** Keycloak wraps each of the `additionalParameters` in a list. */
function parameter(data: Members, name: string): string {
  const parameters = data['additionalParameters'];
  const list = isMembers(parameters) ? parameters[name] : undefined;
  return Array.isArray(list) ? String(list[0]) : '';
}

function argon2Of(data: Members, salt: Buffer, value: Buffer): TransferredHash {
  const type = parameter(data, 'type');
  if (type !== 'id') return { problems: ['algorithm: must be argon2id, the only supported variant of argon2.'] };
  if (parameter(data, 'version') !== '1.3') return { problems: ['algorithm: must be version 1.3 of argon2.'] };
  const [memory, parallelism] = [parameter(data, 'memory'), parameter(data, 'parallelism')];
  const costs = `m=${memory},t=${String(data['hashIterations'])},p=${parallelism}`;
  const encoded = `$argon2id$v=19$${costs}$${bare(salt)}$${bare(value)}`;
  return parseTransferredHash({ algorithm: 'ARGON2ID', encoded });
}

/** Old exports have flat members instead of `credentialData` and `secretData`. */
function hashOf(credential: Members): TransferredHash {
  if ('value' in credential)
    return { problems: ['value: must be absent, because passwords can only be imported as hashes.'] };
  const data = 'credentialData' in credential ? document(credential['credentialData']) : credential;
  const secret = document(credential['secretData']);
  const salt = bytesOf(secret['salt'] ?? credential['salt']);
  const value = bytesOf(secret['value'] ?? credential['hashedSaltedValue']);
  const algorithm = textOf(data['algorithm']) ?? 'pbkdf2-sha256';
  if (algorithm === 'argon2') return argon2Of(data, salt, value);
  const digest = Object.entries(PBKDF2_DIGESTS).find(([name]) => name === algorithm)?.[1];
  if (digest === undefined) return { problems: ['algorithm: must be argon2, pbkdf2, pbkdf2-sha256 or pbkdf2-sha512.'] };
  return pbkdf2Hash(digest, Number(data['hashIterations']), salt, value);
}

function passwordOf(reading: Reading, credentials: unknown): StoredPassword | null {
  if (!Array.isArray(credentials)) return null;
  const passwords: Members[] = [];
  for (const credential of credentials as unknown[]) {
    const type = isMembers(credential) ? credential['type'] : undefined;
    if (type === 'password' && isMembers(credential)) passwords.push(credential);
    else if (typeof type === 'string') reading.leftOut.add(`credentials of type ${type.slice(0, 50)}`);
  }
  const [password, another] = passwords;
  if (another !== undefined) return reading.refuse('credentials', 'has more than one password.');
  return password === undefined ? null : reading.password('credentials', hashOf(password));
}

/** `/sales/emea` becomes the group `sales/emea`, because our groups cannot be nested. */
const groupNames = (groups: unknown): unknown =>
  Array.isArray(groups)
    ? groups.map((path: unknown) => (typeof path === 'string' ? path.replace(/^\//, '') : path))
    : groups;

const attributesOf = (reading: Reading, attributes: unknown): Members =>
  Object.fromEntries(
    Object.entries(withoutIdentity(reading, 'attributes', attributes)).map(([name, value]) => [
      ATTRIBUTES.get(name) ?? name,
      value,
    ]),
  );

const isListed = (list: unknown, item: string): boolean => Array.isArray(list) && list.includes(item);

/**
 * Reads a user of a realm that `kc.sh export` exported. The login is the user name if that is an email address;
 * otherwise it is the email address or, without one, the user name. Attributes with the name `login` or `email` are
 * left out, because realms may let users edit them.
 */
export function readKeycloakUser(text: string): ReadRow {
  const members = membersOf(text);
  if (!isMembers(members)) return members;
  const reading = new Reading();
  if (textOf(members['serviceAccountClientId']) !== null) {
    reading.refuse('serviceAccountClientId', 'is the account of a client, not of a person.');
  }
  for (const name of Object.keys(members)) if (!SAID_ELSEWHERE.has(name)) reading.leftOut.add(name.slice(0, 100));
  for (const name of ['realmRoles', 'clientRoles']) {
    const roles = members[name];
    if (isMembers(roles) || (Array.isArray(roles) && roles.length > 0)) reading.leftOut.add(name);
  }
  const { email, firstName, lastName, username } = members;
  const login = typeof username === 'string' && isEmailAddress(username) ? username : (textOf(email) ?? username);
  const password = passwordOf(reading, members['credentials']);
  const mustChange = password !== null && isListed(members['requiredActions'], 'UPDATE_PASSWORD');
  return reading.done({
    profile: { ...attributesOf(reading, members['attributes']), ...present({ login, email, firstName, lastName }) },
    isText: true,
    isLenient: true,
    type: null,
    status:
      reading.boolean('enabled', members['enabled']) === false ? 'SUSPENDED' : mustChange ? 'PASSWORD_EXPIRED' : null,
    password,
    isEmailVerified: reading.boolean('emailVerified', members['emailVerified']) !== false,
    groups: reading.groups(groupNames(members['groups'])),
  });
}
