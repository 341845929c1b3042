import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { CursorCodec, KeysetPage } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { ShowPorts } from '../apps/index.ts';
import type { ProviderFacts } from './evaluation/evaluation-rules.ts';
import type { PolicyStatus } from './lifecycle.ts';

/** What rules need to know of slices that this one can't ask itself. */
export interface ReferencePorts {
  /** An identity provider of any status, held until the transaction ends. */
  readonly holdProvider: (tx: Tx, orgId: OrgId, id: string) => Promise<ProviderFacts | undefined>;
  readonly groupExists: (db: Db, orgId: OrgId, id: string) => Promise<boolean>;
  readonly userTypeExists: (db: Db, orgId: OrgId, id: string) => Promise<boolean>;
}

/** Which policies of an authorization server are asked for, and which page of them. */
export interface ServerPoliciesQuery {
  readonly status: PolicyStatus | null;
  /** Beginning of the name. */
  readonly q: string | null;
  readonly sortBy: 'priority' | 'name';
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly raw: readonly (readonly [string, string])[];
}

export interface PoliciesPorts extends ReferencePorts {
  /** Apps are shown with these. */
  readonly orgKeys: ShowPorts['orgKeys'];
  readonly db: Db;
  readonly work: Work;
  readonly cursors: CursorCodec;
  /** Ids of the groups that a user is in. */
  readonly groupsOfUser: (db: Db, orgId: OrgId, userId: string) => Promise<readonly string[]>;
  /** Ids of those that everyone is in. */
  readonly groupsOfEveryone: (db: Db, orgId: OrgId) => Promise<readonly string[]>;
  /** Ids of the network zones that an address lies in. */
  readonly zonesOf: (orgId: OrgId, address: string | null) => Promise<readonly string[]>;
  /** A page of the policies of an authorization server, as the wire has them. 404 E0000007. */
  readonly serverPolicies: (
    context: Context,
    authServerId: string,
    query: ServerPoliciesQuery,
  ) => Promise<KeysetPage<Readonly<Record<string, unknown>>>>;
}
