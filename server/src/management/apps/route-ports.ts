import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { MakeKeyPair, MasterKey } from '../../platform/crypto/index.ts';
import type { CursorCodec } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { HttpRedirectUris } from './documents/uri-rules.ts';
import type { AppPolicies } from './lists/app-links.ts';

/** What the policies slice says, which stands to the right. */
export interface AppPolicyPorts {
  /** Those that apps have that were assigned none. */
  readonly defaults: (db: Db, orgId: OrgId) => Promise<AppPolicies>;
  /** Holds a policy until the transaction ends; undefined: the org has none of this id. `type` is neutral. */
  readonly hold: (
    tx: Tx,
    orgId: OrgId,
    policyId: string,
  ) => Promise<{ readonly id: string; readonly type: string; readonly name: string } | undefined>;
}

/** What the app assignments say, which stand to the right. */
export interface AppAssignmentPorts {
  readonly appIdsOfUser: (db: Db, orgId: OrgId, userId: string) => Promise<readonly string[]>;
  readonly appIdsOfGroup: (db: Db, orgId: OrgId, groupId: string) => Promise<readonly string[]>;
  /** A user in each of these apps that he has, as the wire has it, by the app's id. */
  readonly appUsersOf: (
    db: Db,
    context: Context,
    userId: string,
    appIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;
}

/** Public part of a key by which the org's own authorization server signs. */
export interface OrgKey {
  readonly kid: string;
  readonly publicJwk: { readonly kty: 'RSA'; readonly e: string; readonly n: string };
  readonly createdAt: Date;
}

/** What the authorization server says of its keys, which stands to the right. */
export interface OrgKeyPorts {
  /** The keys that are published now, first the one that signs; there may be none yet. */
  readonly published: (db: Db, context: Context) => Promise<readonly OrgKey[]>;
  /** Sees to it that there is one. Not within a transaction. */
  readonly make: (orgId: OrgId) => Promise<void>;
}

export interface AppPorts {
  readonly work: Work;
  readonly orgKeys: OrgKeyPorts;
  /** Seals secrets of clients, shared passwords and signing keys. */
  readonly masterKey: MasterKey;
  readonly makeKeyPair: MakeKeyPair;
  /** The org's own part of the names of its custom apps. */
  readonly subdomainOf: (orgId: OrgId) => Promise<string>;
  /** A setting of the org: whether new redirect URIs may be plain http. */
  readonly httpRedirectUrisOf: (orgId: OrgId) => Promise<HttpRedirectUris>;
  readonly appPolicies: AppPolicyPorts;
}

export interface AppRoutesPorts extends AppPorts {
  readonly db: Db;
  readonly cursors: CursorCodec;
  readonly assignments: AppAssignmentPorts;
}
