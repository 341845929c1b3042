import type { Clock } from '../kernel/clock.ts';
import type { Namespace } from '../kernel/words/namespace.ts';
import type { MasterKey } from '../platform/crypto/index.ts';
import type { CursorCodec } from '../platform/http/index.ts';
import type { Db } from '../platform/postgres/index.ts';
import type { SharedWork, Work } from './relay/work.ts';

/** The parts that exist once in a process. */
export interface Foundation {
  /** The database, for use outside of a unit of work. */
  readonly db: Db;
  readonly work: Work;
  /**
   * Creates a unit of work for frequent small changes of one kind. Simultaneous requests may share its transaction (ADR
   * 0077). Different kinds have different ones, so that none waits for another.
   */
  readonly newSharedWork: () => SharedWork;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  readonly masterKey: MasterKey;
  readonly namespace: Namespace;
}
