import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { CursorCodec, KeysetPage } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { ShowPorts } from '../apps/index.ts';
import type { ProviderFacts } from './evaluation/evaluation-rules.ts';
import type { PolicyStatus } from './lifecycle.ts';

/** Calls to other slices that the validation of rules needs. */
export interface ReferencePorts {
  /** Finds an identity provider of any status, locked until the transaction ends. */
  readonly holdProvider: (tx: Tx, orgId: OrgId, id: string) => Promise<ProviderFacts | undefined>;
  readonly groupExists: (db: Db, orgId: OrgId, id: string) => Promise<boolean>;
  readonly userTypeExists: (db: Db, orgId: OrgId, id: string) => Promise<boolean>;
}

/** The requested policies of an authorization server, and their page. */
export interface ServerPoliciesQuery {
  readonly status: PolicyStatus | null;
  /** Prefix of the name. */
  readonly q: string | null;
  readonly sortBy: 'priority' | 'name';
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly raw: readonly (readonly [string, string])[];
}

export interface PoliciesPorts extends ReferencePorts {
  /** Used to render apps. */
  readonly orgKeys: ShowPorts['orgKeys'];
  readonly db: Db;
  readonly work: Work;
  readonly cursors: CursorCodec;
  /** Finds the ids of a user's groups. */
  readonly groupsOfUser: (db: Db, orgId: OrgId, userId: string) => Promise<readonly string[]>;
  /** Finds the ids of the groups that everyone is in. */
  readonly groupsOfEveryone: (db: Db, orgId: OrgId) => Promise<readonly string[]>;
  /** Finds the ids of the network zones of an address. */
  readonly zonesOf: (orgId: OrgId, address: string | null) => Promise<readonly string[]>;
  /** Renders a page of the policies of an authorization server. 404 E0000007. */
  readonly serverPolicies: (
    context: Context,
    authServerId: string,
    query: ServerPoliciesQuery,
  ) => Promise<KeysetPage<Readonly<Record<string, unknown>>>>;
}
