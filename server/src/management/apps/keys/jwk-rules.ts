import { ApiError, invalid } from '../../../kernel/errors/errors.ts';
import { tooMany } from '../../../kernel/errors/field-errors.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import type { AppStatus } from '../lifecycle.ts';
import { isPointOnCurve, isSoundExponent, isSoundModulus } from './jwk-number-rules.ts';

/** A public key in the form of RFC 7517, with only the members that this service uses. */
export type PublicJwk = Readonly<Record<string, unknown>> & { readonly kty: string; readonly kid?: string };

export const MAXIMUM_KEYS = 50;

const JWKS = 'settings.oauthClient.jwks';
const MAXIMUM_KID_LENGTH = 255;
const MAXIMUM_OPERATIONS = 10;

/** These members are secret. A key that contains one is refused, because its owner must learn that it was disclosed. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const KEPT_MEMBERS = ['kty', 'kid', 'use', 'alg', 'key_ops', 'status', 'n', 'e', 'crv', 'x', 'y'];

const ENCRYPTION_ALGORITHMS = ['RSA-OAEP', 'RSA-OAEP-256', 'RSA-OAEP-384', 'RSA-OAEP-512'];
const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
/** The signature algorithm of each curve (RFC 7518 3.4). */
const CURVE_ALGORITHMS: ReadonlyMap<unknown, string> = new Map([
  ['P-256', 'ES256'],
  ['P-384', 'ES384'],
  ['P-521', 'ES512'],
]);

type Members = Readonly<Record<string, unknown>>;
type Refuse = (member: string, problem: Problem) => ApiError;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function assertNumbers(members: Members, refuse: Refuse): void {
  const { crv, e, kty, n, x, y } = members;
  if (kty === 'RSA') {
    if (!isSoundModulus(n)) throw refuse('n', 'must be a modulus of 2,048 to 8,192 bits in base64url.');
    if (!isSoundExponent(e)) throw refuse('e', 'must be an odd exponent of 65,537 to 64 bits in base64url.');
    return;
  }
  if (kty !== 'EC') throw refuse('kty', 'must be RSA or EC.');
  if (typeof crv !== 'string' || !CURVE_ALGORITHMS.has(crv)) throw refuse('crv', 'must be P-256, P-384 or P-521.');
  if (!isPointOnCurve(crv, x, y)) throw refuse('x', 'must be a point of the curve in base64url, together with y.');
}

function algorithmsOf({ crv, kty, use }: Members): readonly string[] {
  if (kty === 'EC') return [CURVE_ALGORITHMS.get(crv) ?? ''];
  return use === 'enc' ? ENCRYPTION_ALGORITHMS : RSA_ALGORITHMS;
}

function assertPurpose(members: Members, refuse: Refuse): void {
  const { alg, key_ops: operations, kid, kty, status, use } = members;
  const isName = typeof kid === 'string' && kid !== '' && kid.length <= MAXIMUM_KID_LENGTH && !/\p{Cc}/u.test(kid);
  if (kid !== undefined && !isName) throw refuse('kid', `must have 1 to ${MAXIMUM_KID_LENGTH} characters.`);
  if (use !== undefined && use !== 'sig' && use !== 'enc') throw refuse('use', 'must be sig or enc.');
  if (use === 'enc' && kty !== 'RSA') throw refuse('use', 'must be sig: only RSA keys can encrypt.');
  const algorithms = algorithmsOf(members);
  if (alg !== undefined && !algorithms.some((name) => name === alg)) {
    throw refuse('alg', `must be one of ${algorithms.join(', ')} for this key.`);
  }
  const areOperations =
    Array.isArray(operations) &&
    operations.length <= MAXIMUM_OPERATIONS &&
    operations.every((operation) => typeof operation === 'string' && /^\w{1,32}$/.test(operation));
  if (operations !== undefined && !areOperations) throw refuse('key_ops', 'must be an array of operations.');
  if (status !== undefined && status !== 'ACTIVE' && status !== 'INACTIVE') {
    throw refuse('status', 'must be ACTIVE or INACTIVE.');
  }
}

/** Reads one public key, with its `status` if there is one. Null counts as absent, except in private members. */
export function readJwk(input: unknown, field: string): PublicJwk {
  if (!isObject(input)) throw invalid(field || 'body', 'must be a JSON Web Key.');
  const refuse: Refuse = (member, problem) => invalid(field === '' ? member : `${field}.${member}`, problem);
  for (const member of PRIVATE_MEMBERS) {
    if (Object.hasOwn(input, member)) throw refuse(member, 'must be absent: private keys must never be sent.');
  }
  const given = KEPT_MEMBERS.filter((member) => Object.hasOwn(input, member) && input[member] !== null);
  const members: Members = Object.fromEntries(given.map((member) => [member, input[member]]));
  assertNumbers(members, refuse);
  assertPurpose(members, refuse);
  const { kid, kty } = members;
  return { ...members, kty: String(kty), ...(typeof kid === 'string' ? { kid } : {}) };
}

export function statusOf(jwk: PublicJwk): { readonly status: AppStatus | undefined; readonly jwk: PublicJwk } {
  const { status, ...rest } = jwk;
  if (status !== 'ACTIVE' && status !== 'INACTIVE') return { status: undefined, jwk: { ...rest, kty: jwk.kty } };
  return { status, jwk: { ...rest, kty: jwk.kty } };
}

export const isEncryptionKey = (jwk: PublicJwk): boolean => jwk['use'] === 'enc';

export const keyIdentity = ({ crv, e, kty, n, x, y }: PublicJwk): string => JSON.stringify([kty, crv, n, e, x, y]);

export function readJwks(input: unknown): readonly PublicJwk[] {
  const refuse = (cause: Problem) => invalid(JWKS, cause);
  const keys = isObject(input) ? (input['keys'] ?? []) : null;
  if (!Array.isArray(keys)) throw refuse('must be an object with keys.');
  if (keys.length > MAXIMUM_KEYS) throw tooMany(JWKS, MAXIMUM_KEYS, 'keys');
  const read = keys.map((key: unknown, index) => readJwk(key, `${JWKS}.keys[${index}]`));
  const kids = new Set(read.map(({ kid }) => kid));
  if (read.length > 1 && (kids.has(undefined) || kids.size < read.length)) {
    throw refuse('must have keys with different kids when there are several.');
  }
  const encrypting = read.filter((jwk) => isEncryptionKey(jwk) && jwk['status'] !== 'INACTIVE');
  if (encrypting.length > 1) throw refuse('must have at most one active encryption key.');
  return read;
}

/** Reads another party's key set and omits unusable keys (RFC 7517 5). */
export function readRemoteJwks(input: unknown): readonly PublicJwk[] | null {
  const keys = isObject(input) ? input['keys'] : null;
  if (!Array.isArray(keys) || keys.length > MAXIMUM_KEYS) return null;
  return keys.flatMap((key: unknown) => {
    try {
      // `status` has a meaning only in this API, so it is ignored here.
      return [readJwk(isObject(key) ? { ...key, status: null } : key, '')];
    } catch (error) {
      if (error instanceof ApiError) return [];
      throw error;
    }
  });
}
