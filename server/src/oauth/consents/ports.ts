import type { UsersPorts } from '../../management/users/index.ts';
import type { Foundation } from '../../system-log/index.ts';

export interface ConsentsPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  readonly users: UsersPorts;
}

/** `raw` is the whole query, decoded and in the caller's order. */
export interface PageQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly raw: readonly (readonly [string, string])[];
}
