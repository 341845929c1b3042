import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { MakeKeyPair, MasterKey } from '../../platform/crypto/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { Foundation, Work } from '../../system-log/index.ts';
import type { HttpRedirectUris } from './documents/uri-rules.ts';
import type { AppPolicies } from './lists/app-links.ts';

/** The calls to the policies slice, which this slice must not import. */
export interface AppPolicyPorts {
  readonly defaults: (db: Db, orgId: OrgId) => Promise<AppPolicies>;
  readonly lock: (
    tx: Tx,
    orgId: OrgId,
    policyId: string,
  ) => Promise<{ readonly id: string; readonly type: string; readonly name: string } | undefined>;
}

/** The calls to the app-assignments slice, which this slice must not import. */
export interface AppAssignmentPorts {
  readonly appIdsOfUser: (db: Db, orgId: OrgId, userId: string) => Promise<readonly string[]>;
  readonly appIdsOfGroup: (db: Db, orgId: OrgId, groupId: string) => Promise<readonly string[]>;
  /** Leaves out apps to which the user is not assigned. */
  readonly appUsersOf: (
    db: Db,
    context: Context,
    userId: string,
    appIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;
}

export interface OrgKey {
  readonly kid: string;
  readonly publicJwk: { readonly kty: 'RSA'; readonly e: string; readonly n: string };
  readonly createdAt: Date;
}

/** The calls to the oauth slice, which creates the org's signing keys. This slice must not import it. */
export interface OrgKeyPorts {
  /** Returns the published keys, starting with the one that currently signs. */
  readonly published: (db: Db, context: Context) => Promise<readonly OrgKey[]>;
  /** Creates a key if the org has none yet. Do not call it inside a transaction, because it opens its own. */
  readonly make: (orgId: OrgId) => Promise<void>;
}

export interface AppPorts {
  readonly work: Work;
  readonly orgKeys: OrgKeyPorts;
  readonly masterKey: MasterKey;
  readonly makeKeyPair: MakeKeyPair;
  readonly subdomainOf: (orgId: OrgId) => Promise<string>;
  readonly httpRedirectUrisOf: (orgId: OrgId) => Promise<HttpRedirectUris>;
  readonly appPolicies: AppPolicyPorts;
}

export interface AppRoutesPorts extends AppPorts, Pick<Foundation, 'db' | 'cursors'> {
  readonly assignments: AppAssignmentPorts;
}
