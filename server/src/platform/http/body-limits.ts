/** How large a body a route takes, and why it is not as elsewhere. */
export interface BodyLimit {
  readonly bytes: number;
  readonly reason: string;
}

/** Largest body of a route that does not say otherwise; everything larger is refused before it is read. */
export const MAXIMUM_BODY_BYTES = 65_536;

/**
 * For what is read as a whole and sent back as a whole: also what was written when everything had this limit.
 */
export const DOCUMENT_BODY: BodyLimit = {
  bytes: 1_048_576,
  reason: 'A whole resource, as it is read: what was stored can always be sent back.',
};
