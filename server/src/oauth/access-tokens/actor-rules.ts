/** The party that acts for a token's user, with the chain of earlier actors (RFC 8693 4.1). */
export interface Actor {
  readonly iss: string;
  readonly sub: string;
  /** The previous actor. */
  readonly act?: Actor;
}

/** The maximum number of consecutive actors: the chain is sent with each request. */
export const MAXIMUM_ACTORS = 5;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Reads an `act` claim that we issued. Undefined means that there is none; null means that it is not one of ours. */
export function readActor(value: unknown, depth = 1): Actor | null | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || depth > MAXIMUM_ACTORS) return null;
  const iss: unknown = Reflect.get(value, 'iss');
  const sub: unknown = Reflect.get(value, 'sub');
  const act = readActor(Reflect.get(value, 'act'), depth + 1);
  if (!isText(iss) || !isText(sub) || act === null) return null;
  return act === undefined ? { iss, sub } : { iss, sub, act };
}

/** The number of actors in the chain. */
export const actorsIn = ({ act }: Actor): number => (act === undefined ? 1 : 1 + actorsIn(act));
