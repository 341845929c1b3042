import { apiError } from './errors/errors.ts';

/** One revision of one resource of an org. An entity tag identifies it. */
export interface Version {
  readonly kind: string;
  readonly id: string;
  /**
   * Changes with every update. A row that is created again under an old id gets a revision that was not used before.
   */
  readonly revision: number;
}

/** The revision of a row that was never changed. */
export const FIRST_REVISION = 1;

/**
 * Tells whether the tags that a client sent name this version. Null means that the resource does not exist yet, so no
 * tag names it.
 */
export type Precondition = (version: Version | null) => boolean;

/**
 * Throws 412 E0000231 if the client's `If-Match` names another version than the present one. Call this function in the
 * transaction of the change, while the row is locked.
 */
export function assertVersion(
  { precondition }: { readonly precondition: Precondition | null },
  version: Version | null,
): void {
  if (precondition !== null && !precondition(version)) throw apiError('E0000231');
}
