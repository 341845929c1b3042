import { randomUUID } from 'node:crypto';
import type { Context } from '../../../kernel/context.ts';
import { apiError, invalid, notFound } from '../../../kernel/errors/errors.ts';
import { limitReached } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion, FIRST_REVISION } from '../../../kernel/version.ts';
import { claimIdempotency, type Tx, waitForOthers } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { findProviderUsingKey } from '../store.ts';
import type { KeyInput } from './key-contract.ts';
import {
  countKeys,
  findKey,
  findKeyForUpdate,
  insertKey,
  type ProviderKey,
  removeKey,
  updateKey,
} from './key-store.ts';
import { keyChange, keyVersion } from './key-wire.ts';
import { takesKeyType } from './provider-keys.ts';
import { readCertificate } from './read-certificate.ts';

export const MAXIMUM_KEYS = 1_000;

/**
 * Stores the certificate of an identity provider under a new kid. 400 E0000001 for an invalid certificate, and past
 * 1,000 of them. A repeated `Idempotency-Key` returns what the first request created.
 */
export function createKey(work: Work, context: Context, input: KeyInput): Promise<ProviderKey> {
  const now = wholeSecond(context.now);
  const key = {
    kid: randomUUID(),
    ...readCertificate(input.x5c),
    createdAt: now,
    lastUpdatedAt: now,
    revision: FIRST_REVISION,
  };
  return work(context, async (tx, record) => {
    const earlier = await claimIdempotency(tx, context, key.kid);
    if (earlier !== null) {
      const existing = await findKey(tx, context.orgId, earlier);
      if (existing === undefined) throw apiError('E0000195', { reason: 'what this key created is gone' });
      return existing;
    }
    await waitForOthers(tx, context.orgId, 'identity_provider_keys');
    if ((await countKeys(tx, context.orgId, MAXIMUM_KEYS)) >= MAXIMUM_KEYS) {
      throw limitReached('x5c', MAXIMUM_KEYS, 'keys of identity providers');
    }
    await insertKey(tx, context.orgId, key);
    record({ eventType: 'system.idp.key.create', target: [keyChange([null, key])] });
    return key;
  });
}

async function lockKey(tx: Tx, context: Context, kid: string): Promise<ProviderKey> {
  const key = await findKeyForUpdate(tx, context.orgId, kid);
  if (key === undefined) throw notFound(kid, 'IdpKeyCredential');
  assertVersion(context, keyVersion(key));
  return key;
}

/** Replaces the certificate of a kid, for every provider that names it. 404 E0000007; 400 as on create. */
export function replaceKey(work: Work, context: Context, kid: string, input: KeyInput): Promise<ProviderKey> {
  if (input.kid !== undefined && input.kid !== null && input.kid !== kid) {
    throw invalid('kid', 'cannot be changed.');
  }
  const { jwk, expiresAt } = readCertificate(input.x5c);
  return work(context, async (tx, record) => {
    const before = await lockKey(tx, context, kid);
    // Only SAML providers are limited to RSA; smart cards accept every type of key.
    const user = await findProviderUsingKey(tx, context.orgId, kid, 'SAML2');
    if (user !== undefined && !takesKeyType('SAML2', jwk.kty)) {
      throw invalid('x5c', `must be an RSA key, which the identity provider ${user.name} needs.`);
    }
    const lastUpdatedAt = wholeSecond(context.now);
    const after = { ...before, jwk, expiresAt, lastUpdatedAt, revision: before.revision + 1 };
    const target = keyChange([before, after]);
    if (target.changeDetails === undefined) return before;
    await updateKey(tx, context.orgId, after);
    record({ eventType: 'system.idp.key.update', target: [target] });
    return after;
  });
}

/** Deletes a key. 404 E0000007; 400 E0000001 while a provider of any status names it. */
export function deleteKey(work: Work, context: Context, kid: string): Promise<void> {
  return work(context, async (tx, record) => {
    const key = await lockKey(tx, context, kid);
    const user = await findProviderUsingKey(tx, context.orgId, kid);
    if (user !== undefined) throw invalid('kid', `The identity provider ${user.name} uses the key.`);
    await removeKey(tx, context.orgId, kid);
    record({ eventType: 'system.idp.key.delete', target: [keyChange([key, null])] });
  });
}
