/** A body limit of a route, with the reason why it differs from the usual one. */
export interface BodyLimit {
  readonly bytes: number;
  readonly reason: string;
}

/** The largest body of a route that declares no other limit; everything larger is refused before it is read. */
export const MAXIMUM_BODY_BYTES = 65_536;
