import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { MakeKeyPair, MasterKey } from '../../platform/crypto/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { Foundation, Work } from '../../system-log/index.ts';
import type { HttpRedirectUris } from './documents/uri-rules.ts';
import type { AppPolicies } from './lists/app-links.ts';

/** Calls to the policies slice, which is to the right. */
export interface AppPolicyPorts {
  /** The policies that apply to apps that were not put under any. */
  readonly defaults: (db: Db, orgId: OrgId) => Promise<AppPolicies>;
  /** Locks a policy until the transaction ends; undefined when the org has none of this id. `type` is neutral. */
  readonly lock: (
    tx: Tx,
    orgId: OrgId,
    policyId: string,
  ) => Promise<{ readonly id: string; readonly type: string; readonly name: string } | undefined>;
}

/** Calls to the app-assignments slice, which is to the right. */
export interface AppAssignmentPorts {
  readonly appIdsOfUser: (db: Db, orgId: OrgId, userId: string) => Promise<readonly string[]>;
  readonly appIdsOfGroup: (db: Db, orgId: OrgId, groupId: string) => Promise<readonly string[]>;
  /** Renders a user in each of these apps that the user has, by the app's id. */
  readonly appUsersOf: (
    db: Db,
    context: Context,
    userId: string,
    appIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;
}

/** Public half of a key with which the org's own authorization server signs. */
export interface OrgKey {
  readonly kid: string;
  readonly publicJwk: { readonly kty: 'RSA'; readonly e: string; readonly n: string };
  readonly createdAt: Date;
}

/** Calls to the authorization server for its keys, which is to the right. */
export interface OrgKeyPorts {
  /** Returns the published keys, the one that signs first; there may be none yet. */
  readonly published: (db: Db, context: Context) => Promise<readonly OrgKey[]>;
  /** Makes sure that there is a key. Do not call it inside a transaction. */
  readonly make: (orgId: OrgId) => Promise<void>;
}

export interface AppPorts {
  readonly work: Work;
  readonly orgKeys: OrgKeyPorts;
  /** Seals secrets of clients, shared passwords and signing keys. */
  readonly masterKey: MasterKey;
  readonly makeKeyPair: MakeKeyPair;
  /** Finds the org's subdomain, with which the names of its custom apps begin. */
  readonly subdomainOf: (orgId: OrgId) => Promise<string>;
  /** The org's setting for plain http in new redirect URIs. */
  readonly httpRedirectUrisOf: (orgId: OrgId) => Promise<HttpRedirectUris>;
  readonly appPolicies: AppPolicyPorts;
}

export interface AppRoutesPorts extends AppPorts, Pick<Foundation, 'db' | 'cursors'> {
  readonly assignments: AppAssignmentPorts;
}
