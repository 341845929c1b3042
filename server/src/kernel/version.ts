import { apiError } from './errors/errors.ts';

/** One revision of one resource of an org. An entity tag identifies it. */
export interface Version {
  readonly kind: string;
  readonly id: string;
  readonly revision: number;
}

/**
 * The first revision of most resources. Some tables, in which a row can return under its old id, start at the current
 * time instead, so that old entity tags stay invalid.
 */
export const FIRST_REVISION = 1;

/** Tells whether `If-Match` or a form names this version. Null means that the resource is missing. */
export type Precondition = (version: Version | null) => boolean;

/** Call this function in the transaction of the change, once the resource is locked. */
export function assertVersion(
  { precondition }: { readonly precondition: Precondition | null },
  version: Version | null,
): void {
  if (precondition !== null && !precondition(version)) throw apiError('E0000231');
}
