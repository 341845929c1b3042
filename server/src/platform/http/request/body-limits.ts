/** A route's own body limit, with the reason why it differs from the usual one. */
export interface BodyLimit {
  readonly bytes: number;
  readonly reason: string;
}

/** The maximum size of a body on a route that declares no other limit. */
export const MAXIMUM_BODY_BYTES = 65_536;
