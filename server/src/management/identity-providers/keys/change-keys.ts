import { randomUUID } from 'node:crypto';
import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import { resource } from '../../resource/index.ts';
import { findProviderUsingKey } from '../store.ts';
import type { KeyInput } from './key-contract.ts';
import { PROVIDER_KEYS, type ProviderKey } from './key-store.ts';
import { keyChange, keyVersion } from './key-wire.ts';
import { takesKeyType } from './provider-keys.ts';
import { readCertificate } from './read-certificate.ts';

export const MAXIMUM_KEYS = 1_000;

const keys = resource<ProviderKey>({
  noun: 'IdpKeyCredential',
  store: PROVIDER_KEYS,
  version: keyVersion,
  target: keyChange,
  events: { create: 'system.idp.key.create', update: 'system.idp.key.update', delete: 'system.idp.key.delete' },
  limit: { maximum: MAXIMUM_KEYS, field: 'x5c', plural: 'keys of identity providers' },
});

export const getKey = keys.get;

export function createKey(work: Work, context: Context, input: KeyInput): Promise<ProviderKey> {
  const now = wholeSecond(context.now);
  const key = {
    kid: randomUUID(),
    ...readCertificate(input.x5c),
    createdAt: now,
    lastUpdatedAt: now,
    revision: FIRST_REVISION,
  };
  return keys.create(work, context, key);
}

export function replaceKey(work: Work, context: Context, kid: string, input: KeyInput): Promise<ProviderKey> {
  if (input.kid !== undefined && input.kid !== null && input.kid !== kid) {
    throw invalid('kid', 'cannot be changed.');
  }
  const { jwk, expiresAt } = readCertificate(input.x5c);
  return keys.replace(work, context, kid, async (_before, tx) => {
    const user = await findProviderUsingKey(tx, context.orgId, kid, 'SAML2');
    if (user !== undefined && !takesKeyType('SAML2', jwk.kty)) {
      throw invalid('x5c', `must be an RSA key, which the identity provider ${user.name} needs.`);
    }
    return { jwk, expiresAt };
  });
}

export const deleteKey = (work: Work, context: Context, kid: string): Promise<void> =>
  keys.delete(work, context, kid, async (_key, tx) => {
    const user = await findProviderUsingKey(tx, context.orgId, kid);
    if (user !== undefined) throw invalid('kid', `The identity provider ${user.name} uses the key.`);
  });
