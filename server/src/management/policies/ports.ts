import type { OrgId } from '../../kernel/ids.ts';
import type { CursorCodec } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { ProviderFacts } from './evaluation-rules.ts';

/** What rules need to know of slices that this one can't ask itself. */
export interface ReferencePorts {
  /** An identity provider of any status, held until the transaction ends. */
  readonly holdProvider: (tx: Tx, orgId: OrgId, id: string) => Promise<ProviderFacts | undefined>;
  readonly groupExists: (db: Db, orgId: OrgId, id: string) => Promise<boolean>;
  readonly userTypeExists: (db: Db, orgId: OrgId, id: string) => Promise<boolean>;
}

export interface PoliciesPorts extends ReferencePorts {
  readonly db: Db;
  readonly work: Work;
  readonly cursors: CursorCodec;
  /** Ids of the groups that a user is in. */
  readonly groupsOfUser: (db: Db, orgId: OrgId, userId: string) => Promise<readonly string[]>;
  /** Ids of those that everyone is in. */
  readonly groupsOfEveryone: (db: Db, orgId: OrgId) => Promise<readonly string[]>;
  /** Ids of the network zones that an address lies in. */
  readonly zonesOf: (orgId: OrgId, address: string | null) => Promise<readonly string[]>;
}
