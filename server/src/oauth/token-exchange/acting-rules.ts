import { type Actor, actorsIn, MAXIMUM_ACTORS } from '../access-tokens/actor-rules.ts';

/** Who is named as acting: whom a token is about, and who issued it. */
export interface Acting {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * Who acts by a token that is given for another (RFC 8693 4.1): whoever is named now, for whoever acted already; null:
 * nobody. `tooMany`: the chain would be longer than is carried.
 */
export function actingBy(before: Actor | null, named: Acting | null): Actor | null | 'tooMany' {
  if (named === null) return before;
  const { issuer: iss, subject: sub } = named;
  const actor = before === null ? { iss, sub } : { iss, sub, act: before };
  return actorsIn(actor) > MAXIMUM_ACTORS ? 'tooMany' : actor;
}
