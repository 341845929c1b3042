import type { UsersPorts } from '../../management/users/index.ts';
import type { Foundation } from '../../system-log/index.ts';

export interface ConsentsPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  readonly users: UsersPorts;
}

/** `raw` is the query as the caller sent it. */
export interface PageQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly raw: readonly (readonly [string, string])[];
}
