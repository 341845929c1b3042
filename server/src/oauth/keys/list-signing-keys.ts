import type { Context } from '../../kernel/context.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { RsaPublicJwk } from './rotation/make-signing-key.ts';
import { isPublished, signingKeyOf } from './rotation/rotation-rules.ts';
import { findSigningKeys } from './store.ts';

export interface ListedSigningKey {
  readonly kid: string;
  /** A `waiting` key is published but does not sign yet. A `former` key is accepted until it expires. */
  readonly state: 'waiting' | 'signing' | 'former' | 'expired';
  readonly createdAt: Date;
  readonly activeFrom: Date;
  readonly expiresAt: Date | null;
}

/** Lists the signing keys of the org's own authorization server, newest first, for the command line. */
export async function listSigningKeys(db: Db, { now, orgId }: Context): Promise<ListedSigningKey[]> {
  const keys = await findSigningKeys(db, orgId);
  const signing = signingKeyOf(keys, now);
  return keys.map((key) => {
    const { activeFrom, createdAt, expiresAt, kid } = key;
    const isWaiting = activeFrom > now;
    const old = isPublished(key, now) ? 'former' : 'expired';
    const state = isWaiting ? 'waiting' : key === signing ? 'signing' : old;
    return { kid, state, createdAt, activeFrom, expiresAt };
  });
}

interface PublishedKey {
  readonly kid: string;
  readonly publicJwk: RsaPublicJwk;
  readonly createdAt: Date;
}

/** Puts the signing key first. Returns no keys if no key signs. */
export async function publishedOrgKeys(db: Db, { now, orgId }: Context): Promise<PublishedKey[]> {
  const keys = (await findSigningKeys(db, orgId)).filter((key) => isPublished(key, now));
  const signing = signingKeyOf(keys, now);
  return signing === undefined ? [] : [signing, ...keys.filter((key) => key !== signing)];
}
