/** How large a body a route takes, and why it is not as elsewhere. */
export interface BodyLimit {
  readonly bytes: number;
  readonly reason: string;
}

/** Largest body of a route that does not say otherwise; everything larger is refused before it is read. */
export const MAXIMUM_BODY_BYTES = 65_536;
