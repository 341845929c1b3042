import { isDeepStrictEqual } from 'node:util';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { newId } from '../../../kernel/words/ids.ts';
import { keyIdentity, type PublicJwk, statusOf } from './jwk-rules.ts';
import type { StoredKey } from './jwk-stored.ts';

/** The key is active unless it was given with another status. */
export function newStoredKey(given: PublicJwk, orgSuffix: string, now: Date): StoredKey {
  const { jwk, status = 'ACTIVE' } = statusOf(given);
  const at = wholeSecond(now);
  const dates = { createdAt: at, lastUpdatedAt: at };
  return { id: newId('appKey', orgSuffix), kid: jwk.kid ?? null, jwk, status, ...dates, revision: FIRST_REVISION };
}

const nameOf = (jwk: PublicJwk): string => JSON.stringify([jwk.kid ?? null, keyIdentity(jwk)]);

export interface KeyChanges {
  readonly removed: readonly StoredKey[];
  readonly updated: readonly StoredKey[];
  readonly added: readonly StoredKey[];
}

/** A key is identified by its numbers and its `kid`. */
export function keyChanges(
  before: readonly StoredKey[],
  wanted: readonly PublicJwk[],
  orgSuffix: string,
  now: Date,
): KeyChanges {
  const wantedNames = new Set(wanted.map(nameOf));
  const removed = before.filter(({ jwk }) => !wantedNames.has(nameOf(jwk)));
  const kept = new Map(before.map((key) => [nameOf(key.jwk), key]));
  const updated: StoredKey[] = [];
  const added: StoredKey[] = [];
  for (const given of wanted) {
    const known = kept.get(nameOf(given));
    if (known === undefined) {
      added.push(newStoredKey(given, orgSuffix, now));
      continue;
    }
    const { jwk, status = known.status } = statusOf(given);
    if (status === known.status && isDeepStrictEqual(jwk, known.jwk)) continue;
    updated.push({ ...known, jwk, status, lastUpdatedAt: wholeSecond(now), revision: known.revision + 1 });
  }
  return { removed, updated, added };
}
