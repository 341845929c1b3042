import type { OrgId } from '../../kernel/ids.ts';
import type { CursorCodec } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { ProviderFacts } from './evaluation-rules.ts';

/** What rules need to know of slices that this one can't ask itself. */
export interface ReferencePorts {
  /** The org's identity providers, of every status. */
  readonly listProviders: (db: Db, orgId: OrgId) => Promise<readonly ProviderFacts[]>;
}

export interface PoliciesPorts extends ReferencePorts {
  readonly db: Db;
  readonly work: Work;
  readonly cursors: CursorCodec;
}
