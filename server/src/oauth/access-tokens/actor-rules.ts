/** The party that acts for a token's user, with the chain of earlier actors (RFC 8693 4.1). */
export interface Actor {
  readonly iss: string;
  readonly sub: string;
  readonly act?: Actor;
}

export const MAXIMUM_ACTORS = 5;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Reads an `act` claim. Returns undefined if there is no claim, and null if this service cannot have issued it. */
export function readActor(value: unknown, depth = 1): Actor | null | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || depth > MAXIMUM_ACTORS) return null;
  const iss: unknown = Reflect.get(value, 'iss');
  const sub: unknown = Reflect.get(value, 'sub');
  const act = readActor(Reflect.get(value, 'act'), depth + 1);
  if (!isText(iss) || !isText(sub) || act === null) return null;
  return act === undefined ? { iss, sub } : { iss, sub, act };
}

export const actorsIn = ({ act }: Actor): number => (act === undefined ? 1 : 1 + actorsIn(act));
