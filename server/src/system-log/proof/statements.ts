import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { ChainPlace } from '../relay/ledger-store.ts';
import type { LogSigner } from '../relay/log-signer.ts';

// ADR 0019 defines these statements. Their formats are final, because copies are stored outside the service for years.
export const CHECKPOINT_TYPE = 'gatehouse-log-checkpoint+jwt';
export const ANCHOR_TYPE = 'gatehouse-log-anchor+jwt';

/** A signed claim that the event at `position` of the org's log has the chain hash `hash`. */
export interface Statement extends ChainPlace {
  readonly org: string;
  readonly issuedAt: Date;
  /** The position of the previous checkpoint. It is null for the first checkpoint and for an anchor. */
  readonly previous: number | null;
  readonly kid: string;
}

/** A checkpoint claims that the log contained this event. `previous` is the position of the previous checkpoint. */
export const signCheckpoint = (
  sign: LogSigner,
  orgId: OrgId,
  { hash, position }: ChainPlace,
  previous: number | null,
  now: Date,
): Promise<string> =>
  sign(orgId, CHECKPOINT_TYPE, { org: orgId, position, hash: hash.toString('base64url'), previous }, now);

/**
 * An anchor claims that the events up to this position have left the ledger. The next event is chained to this hash.
 */
export const signAnchor = (sign: LogSigner, orgId: OrgId, { hash, position }: ChainPlace, now: Date): Promise<string> =>
  sign(orgId, ANCHOR_TYPE, { org: orgId, position, hash: hash.toString('base64url') }, now);

export type StatementKeys = ReadonlyMap<string, KeyObject>;

/** Leaves out entries that are not RSA keys with an id. */
export function statementKeys(jwks: readonly unknown[]): StatementKeys {
  const keys = new Map<string, KeyObject>();
  for (const jwk of jwks) {
    if (typeof jwk !== 'object' || jwk === null || !('kid' in jwk) || typeof jwk.kid !== 'string') continue;
    if (!('kty' in jwk) || jwk.kty !== 'RSA') continue;
    keys.set(jwk.kid, createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }));
  }
  return keys;
}

/** The message completes a sentence that begins with the statement's name. */
export class StatementError extends Error {
  /** Whether the statement names a key that is not among the known keys. The statement may still be valid. */
  readonly isUnknownKey: boolean;

  constructor(message: string, options: { readonly isUnknownKey?: boolean } = {}) {
    super(message);
    this.isUnknownKey = options.isUnknownKey === true;
  }
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;

function decoded(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The text is refused below.
  }
  throw new StatementError('is not a signed statement');
}

const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

export const HASH_BYTES = 32;

function hashOf(value: unknown): Buffer | null {
  if (typeof value !== 'string' || !BASE64URL.test(value)) return null;
  const hash = Buffer.from(value, 'base64url');
  return hash.length === HASH_BYTES && hash.toString('base64url') === value ? hash : null;
}

/** Reads a compact JWS of type `typ` about `org`, or about any org if `org` is null. */
export function readStatement(jws: string, typ: string, keys: StatementKeys, org: string | null): Statement {
  const parts = jws.split('.');
  const [head = '', body = '', signature = ''] = parts;
  if (parts.length !== 3 || !parts.every((part) => BASE64URL.test(part))) {
    throw new StatementError('is not a signed statement');
  }
  const header = decoded(head);
  if (header['typ'] !== typ || header['alg'] !== 'RS256' || typeof header['kid'] !== 'string' || 'crit' in header) {
    throw new StatementError(`is not signed as ${typ}`);
  }
  const key = keys.get(header['kid']);
  if (key === undefined) {
    const message = `is signed with the key ${header['kid']}, which is not among the keys`;
    throw new StatementError(message, { isUnknownKey: true });
  }
  const signed = Buffer.from(`${head}.${body}`, 'ascii');
  if (key.asymmetricKeyType !== 'rsa' || !verify('sha256', signed, key, Buffer.from(signature, 'base64url'))) {
    throw new StatementError('has a signature that does not hold');
  }
  const { hash: hashText, iat, iss, org: named, position, previous } = decoded(body);
  const hash = hashOf(hashText);
  if (typeof named !== 'string' || iss !== named || !isPosition(position) || hash === null || !isPosition(iat)) {
    throw new StatementError('does not say what a statement says');
  }
  if (org !== null && named !== org) throw new StatementError(`is about the log of another org (${named})`);
  return {
    org: named,
    position,
    hash,
    issuedAt: new Date(iat * 1_000),
    previous: isPosition(previous) ? previous : null,
    kid: header['kid'],
  };
}
