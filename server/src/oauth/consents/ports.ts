import type { UsersPorts } from '../../management/users/index.ts';
import type { CursorCodec } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';

export interface ConsentsPorts {
  readonly db: Db;
  readonly work: Work;
  readonly cursors: CursorCodec;
  readonly users: UsersPorts;
}

/** The requested page, and the query as it was sent. */
export interface PageQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly raw: readonly (readonly [string, string])[];
}
