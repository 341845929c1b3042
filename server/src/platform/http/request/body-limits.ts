/** A body limit of a route, with the reason why it differs from the usual one. */
export interface BodyLimit {
  readonly bytes: number;
  readonly reason: string;
}

/** Largest body of a route that does not say otherwise; everything larger is refused before it is read. */
export const MAXIMUM_BODY_BYTES = 65_536;
