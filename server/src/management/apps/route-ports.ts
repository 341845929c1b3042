import type { MasterKey } from '../../platform/crypto/index.ts';
import type { CursorCodec } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';

export interface AppRoutesPorts {
  readonly db: Db;
  readonly work: Work;
  readonly cursors: CursorCodec;
  /** Seals the secrets of clients. */
  readonly masterKey: MasterKey;
}
