import { type Actor, actorsIn, MAXIMUM_ACTORS } from '../access-tokens/actor-rules.ts';

/** Who is named as acting: whom a token is about, and who issued it. */
export interface Acting {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * Who acts by a token that is given for another (RFC 8693 4.1): whoever is named, else the client that asks, for
 * whoever acted already. A client that acts already is not named once more. `tooMany`: the chain would be longer than
 * is carried.
 */
export function actingBy(before: Actor | null, named: Acting | null, client: Acting): Actor | 'tooMany' {
  const { issuer: iss, subject: sub } = named ?? client;
  if (before === null) return { iss, sub };
  if (named === null && before.iss === iss && before.sub === sub) return before;
  const actor = { iss, sub, act: before };
  return actorsIn(actor) > MAXIMUM_ACTORS ? 'tooMany' : actor;
}
