import { type Actor, actorsIn, MAXIMUM_ACTORS } from '../access-tokens/actor-rules.ts';

/** A party that is named as the actor: the subject of its token, and the token's issuer. */
export interface Acting {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * Returns the actor of a token that is issued for another (RFC 8693 4.1): the named party, else the requesting client,
 * in front of the earlier actors. A client that acts already is not named once more. `tooMany` means that the chain
 * would be longer than tokens carry.
 */
export function actingBy(before: Actor | null, named: Acting | null, client: Acting): Actor | 'tooMany' {
  const { issuer: iss, subject: sub } = named ?? client;
  if (before === null) return { iss, sub };
  if (named === null && before.iss === iss && before.sub === sub) return before;
  const actor = { iss, sub, act: before };
  return actorsIn(actor) > MAXIMUM_ACTORS ? 'tooMany' : actor;
}
