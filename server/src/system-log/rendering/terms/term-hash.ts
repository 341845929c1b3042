// A search term is a hash of the org and one fact: `w:<word>`, `e:<path>=<value>` or `p:<path>`. The hash is stored, so
// the form of its input must not change. Hashes collide, so the stored value is rechecked.

export const PRIME = 0x01000193;
const BASIS = 0x811c9dc5;

/**
 * Adds a string to an FNV-1a state, one UTF-16 code unit at a time. `finished` applies the finalizer of MurmurHash3.
 * The hash need not be secret.
 */
export function added(state: number, text: string): number {
  let hash = state;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  }
  return hash;
}

export function finished(state: number): number {
  let hash = state;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}

/** The initial hash states for one org, one for each kind of search term. */
export interface Seeds {
  readonly orgId: string;
  readonly w: number;
  readonly e: number;
  readonly p: number;
}

function makeSeeds(orgId: string): Seeds {
  const org = finished(added(BASIS, orgId)) ^ BASIS;
  return { orgId, w: added(org, 'w:'), e: added(org, 'e:'), p: added(org, 'p:') };
}

let last: Seeds = makeSeeds('');

/** Keeps the seeds of the last org, because the events of an org come in batches. */
export function seedsOf(orgId: string): Seeds {
  if (last.orgId !== orgId) last = makeSeeds(orgId);
  return last;
}
