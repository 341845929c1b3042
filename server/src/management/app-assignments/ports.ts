import type { MasterKey } from '../../platform/crypto/index.ts';
import type { CursorCodec } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { UsersPorts } from '../users/index.ts';

export interface AppAssignmentsPorts {
  readonly db: Db;
  readonly work: Work;
  readonly cursors: CursorCodec;
  /** Seals the passwords that users have in apps. */
  readonly masterKey: MasterKey;
  /** Used to find the user whose links are requested. */
  readonly users: UsersPorts;
}
