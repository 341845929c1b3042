import { type Actor, actorsIn, MAXIMUM_ACTORS } from '../access-tokens/actor-rules.ts';

/** A party that may act for a user: its issuer, and the subject under which the issuer knows it. */
export interface Acting {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * Returns the actor for the token that an exchange issues (RFC 8693 4.1): the `named` party or else the client,
 * followed by the earlier actors. A client that is already the latest actor is not added again.
 */
export function actingBy(before: Actor | null, named: Acting | null, client: Acting): Actor | 'tooMany' {
  const { issuer: iss, subject: sub } = named ?? client;
  if (before === null) return { iss, sub };
  if (named === null && before.iss === iss && before.sub === sub) return before;
  const actor = { iss, sub, act: before };
  return actorsIn(actor) > MAXIMUM_ACTORS ? 'tooMany' : actor;
}
