import { parseTransferredHash, readPasswordText, type StoredPassword } from '../../platform/crypto/passwords/index.ts';
import { isMembers, type Members, membersOf, Reading, type ReadRow } from './user-record.ts';

/** The members that a line may contain. A line with any other member is refused. */
const KNOWN = new Set(['profile', 'credentials', 'passwordHash', 'groups', 'status', 'type']);

function passwordOf(reading: Reading, members: Members): StoredPassword | null {
  const text = members['passwordHash'];
  const credentials = members['credentials'];
  const password = isMembers(credentials) ? credentials['password'] : undefined;
  if (credentials !== undefined && !isMembers(credentials)) return reading.refuse('credentials', 'must be an object.');
  if (isMembers(credentials) && Object.keys(credentials).some((name) => name !== 'password')) {
    return reading.refuse('credentials', 'can only contain the hash of a password.');
  }
  if (password !== undefined && (!isMembers(password) || !('hash' in password) || 'value' in password)) {
    return reading.refuse('credentials.password', 'must have a hash and no value.');
  }
  if (text !== undefined && password !== undefined) {
    return reading.refuse('passwordHash', 'must not be combined with credentials.');
  }
  if (isMembers(password)) return reading.password('credentials.password', parseTransferredHash(password['hash']));
  if (text === undefined || text === null) return null;
  if (typeof text !== 'string') return reading.refuse('passwordHash', 'must be a string.');
  return reading.password('passwordHash', readPasswordText(text));
}

/**
 * Reads a line of our own format, such as `{"profile":{...},"groups":["..."],"status":"...","passwordHash":"$2b$..."}`.
 */
export function readOwnLine(text: string, isLenient: boolean): ReadRow {
  const members = membersOf(text);
  if (!isMembers(members)) return members;
  const reading = new Reading();
  for (const name of Object.keys(members)) if (!KNOWN.has(name)) reading.refuse(name, 'is not supported.');
  const { groups, profile, status, type } = members;
  if (!isMembers(profile)) reading.refuse('profile', 'must be an object.');
  if (type !== undefined && typeof type !== 'string') reading.refuse('type', 'must be the name of a user type.');
  return reading.done({
    profile: isMembers(profile) ? profile : {},
    isText: false,
    isLenient,
    type: typeof type === 'string' ? type : null,
    status: reading.status(status),
    password: passwordOf(reading, members),
    isEmailVerified: true,
    groups: reading.groups(groups),
  });
}
