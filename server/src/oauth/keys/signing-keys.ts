import { createPublicKey, type KeyObject } from 'node:crypto';
import { type OrgId, toOrgId } from '../../kernel/words/ids.ts';
import { boundedCache } from '../../platform/caches/index.ts';
import { createAuthorisationCache, createKeptCopies } from '../../platform/postgres/index.ts';
import { type Foundation, systemContext } from '../../system-log/index.ts';
import type { SigningKeyPorts } from './rotation/make-signing-key.ts';
import { openSigningKey, type RsaPublicJwk } from './rotation/make-signing-key.ts';
import { makeFirstSigningKey } from './rotation/rotate-signing-key.ts';
import { isPublished, ORG_SERVER, signingKeyOf } from './rotation/rotation-rules.ts';
import { findSealedKey, findSigningKeys, type SigningKey } from './store.ts';

export interface SigningKeysPorts extends SigningKeyPorts, Pick<Foundation, 'db' | 'work' | 'clock' | 'namespace'> {}

export interface PublicKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly publicJwk: RsaPublicJwk;
}

/** Each server has its own keys. A missing `serverId` means the org's own server. */
export interface SigningKeys {
  signer(orgId: OrgId, serverId?: string): Promise<{ readonly kid: string; readonly key: KeyObject }>;
  /** Returns the keys whose tokens are accepted now or soon, newest first. */
  publicKeys(orgId: OrgId, serverId?: string): Promise<readonly PublicKey[]>;
  /** Returns what `publicKeys` returns, or an older copy while the database is unreachable. */
  publishedKeys(orgId: OrgId, serverId?: string): Promise<readonly PublicKey[]>;
  /** Returns null if the key is unknown or no longer accepted. */
  verificationKey(orgId: OrgId, kid: string, serverId?: string): Promise<KeyObject | null>;
  /** Drops the cached lists of an org's keys. Callers must do this after a rotation. */
  drop(orgId: OrgId): void;
  refreshKept(): Promise<void>;
}

const MAXIMUM_KEYS = 5_000;

/** A kid is the hash of its key, so a kept key is never outdated. */
function keptByKid<Kept extends object>() {
  const kept = boundedCache<string, Kept>(MAXIMUM_KEYS);
  return (orgId: OrgId, kid: string, make: () => Kept): Kept => {
    const name = `${orgId}\0${kid}`;
    const known = kept.get(name);
    if (known !== undefined) return known;
    const made = make();
    kept.set(name, made);
    return made;
  };
}

type KeyList = readonly SigningKey[];

/** Creates the cache of the lists of keys, which returns a cached list without a promise. */
function createKeyLists({ clock, db, makeKeyPair, masterKey, namespace, work }: SigningKeysPorts) {
  const lists = createAuthorisationCache<KeyList>({
    clock,
    load: ({ id, orgId }) => findSigningKeys(db, orgId ?? '', id),
  });
  const making = new Map<string, Promise<void>>();
  const listOf = (orgId: OrgId, serverId: string) => lists.get({ orgId, kind: 'signingKeys', id: serverId });

  /** If several processes create the first key at once, the database keeps only one. */
  async function makeFirst(orgId: OrgId, serverId: string): Promise<void> {
    const context = systemContext({ orgId, namespace, name: 'oauth', now: clock.now() });
    await makeFirstSigningKey({ db, work, makeKeyPair, masterKey }, context, serverId);
    lists.drop(orgId);
  }

  async function listOrFirst(orgId: OrgId, serverId: string, list: KeyList | Promise<KeyList>): Promise<KeyList> {
    const known = await list;
    if (known.length > 0) return known;
    const name = `${orgId}\0${serverId}`;
    const started = making.get(name) ?? makeFirst(orgId, serverId).finally(() => making.delete(name));
    making.set(name, started);
    await started;
    return findSigningKeys(db, orgId, serverId);
  }

  return {
    listOf,
    /** Makes the first key of a server that has none. */
    keysOf: (orgId: OrgId, serverId: string): KeyList | Promise<KeyList> => {
      const known = listOf(orgId, serverId);
      return known instanceof Promise || known.length === 0 ? listOrFirst(orgId, serverId, known) : known;
    },
    drop: (orgId: OrgId) => lists.drop(orgId),
  };
}

/** Creates the cache of signing keys. The list of keys is at most a second old, except in `publishedKeys`. */
export function createSigningKeys(ports: SigningKeysPorts): SigningKeys {
  const { clock, db, masterKey } = ports;
  const { drop, keysOf, listOf } = createKeyLists(ports);
  const privateKeys = boundedCache<string, KeyObject>(MAXIMUM_KEYS);
  const publicKeyOf = keptByKid<KeyObject>();
  const kept = createKeptCopies<KeyList>({
    clock,
    load: ({ id, orgId }) => keysOf(toOrgId(orgId ?? ''), id),
    bytesOf: (keys) => JSON.stringify(keys).length,
  });
  const published = (keys: KeyList | null): readonly PublicKey[] => {
    const now = clock.now();
    return (keys ?? []).filter((key) => isPublished(key, now));
  };

  return {
    async signer(orgId, serverId = ORG_SERVER) {
      const active = signingKeyOf(await keysOf(orgId, serverId), clock.now());
      if (active === undefined) throw new Error(`org ${orgId} has no key that signs now for its server "${serverId}"`);
      const { kid } = active;
      const name = `${orgId}\0${kid}`;
      const known = privateKeys.get(name);
      if (known !== undefined) return { kid, key: known };
      const sealedKey = await findSealedKey(db, orgId, kid);
      if (sealedKey === null) throw new Error(`signing key ${kid} was removed`);
      const key = openSigningKey(masterKey, orgId, kid, sealedKey);
      privateKeys.set(name, key);
      return { kid, key };
    },
    async publicKeys(orgId, serverId = ORG_SERVER) {
      return published(await keysOf(orgId, serverId));
    },
    async publishedKeys(orgId, serverId = ORG_SERVER) {
      return published(await kept.read({ orgId, kind: 'signingKeys', id: serverId }));
    },
    async verificationKey(orgId, kid, serverId = ORG_SERVER) {
      const known = await listOf(orgId, serverId);
      // Another process may just have created the first key. Tokens signed with it must not be refused here.
      const keys = known.length > 0 ? known : await findSigningKeys(db, orgId, serverId);
      const key = keys.find((one) => one.kid === kid);
      if (key === undefined || !isPublished(key, clock.now())) return null;
      return publicKeyOf(orgId, kid, () => createPublicKey({ key: { ...key.publicJwk }, format: 'jwk' }));
    },
    drop: (orgId) => {
      drop(orgId);
      kept.drop(orgId);
    },
    refreshKept: () => kept.refresh(),
  };
}
