import type { Clock } from '../../kernel/clock.ts';
import { type OrgId, toOrgId } from '../../kernel/words/ids.ts';
import {
  type AuthorizationServerFacts,
  findAuthorizationServer,
  readServerClaims,
  readServerPolicies,
  type ServerClaim,
  type ServerPolicy,
} from '../../management/authorization-servers/index.ts';
import { createAuthorisationCache, createKeptCopies, type Db } from '../../platform/postgres/index.ts';
import { claimsAskGroups } from './claim-values.ts';
import { findTokenScopes, type TokenScope } from './store.ts';

/** An active custom authorization server, with the scopes, claims and policies that determine its tokens. */
export interface ServerConfiguration {
  readonly facts: AuthorizationServerFacts;
  readonly scopes: readonly TokenScope[];
  /** Only active claims are included. */
  readonly claims: readonly ServerClaim[];
  /** The active policies that have active rules, in order of evaluation. */
  readonly policies: readonly ServerPolicy[];
}

export interface PublishedServer {
  readonly id: string;
  readonly issuerPath: string;
  readonly scopes: readonly string[];
}

export interface ServerConfigurations {
  /** Returns null if the org has no such active server. The data is at most a second old. */
  find(orgId: OrgId, idOrDefault: string): Promise<ServerConfiguration | null>;
  /** While the database is unreachable, the data may be up to ten minutes old. */
  findKept(orgId: OrgId, idOrDefault: string): Promise<PublishedServer | null>;
  /** Call this after a server of the org has changed. */
  drop(orgId: OrgId): void;
  refreshKept(): Promise<void>;
}

/** Server ids and `default` have this form. */
const ID = /^[0-9A-Za-z]{1,40}$/;

async function load(db: Db, orgId: OrgId, idOrDefault: string): Promise<ServerConfiguration | null> {
  const facts = await findAuthorizationServer(db, orgId, idOrDefault);
  if (facts?.status !== 'ACTIVE') return null;
  const [scopes, claims, policies] = await Promise.all([
    findTokenScopes(db, orgId, facts.id),
    readServerClaims(db, orgId, facts.id),
    readServerPolicies(db, orgId, facts.id),
  ]);
  return { facts, scopes, claims, policies };
}

function publishedOf(server: ServerConfiguration): PublishedServer {
  const published = server.scopes.filter(({ metadataPublish }) => metadataPublish === 'ALL_CLIENTS');
  const { id, issuerPath } = server.facts;
  return { id, issuerPath, scopes: published.map(({ name }) => name) };
}

interface LoadedServer {
  readonly configuration: ServerConfiguration;
  /** This is derived once, because `createKeptCopies` recognises a value that it already has. */
  readonly published: PublishedServer;
}

export function createServerConfigurations({
  clock,
  db,
}: {
  readonly clock: Clock;
  readonly db: Db;
}): ServerConfigurations {
  const servers = createAuthorisationCache<LoadedServer | null>({
    clock,
    load: async ({ id, orgId }) => {
      const configuration = await load(db, toOrgId(orgId ?? ''), id);
      return configuration === null ? null : { configuration, published: publishedOf(configuration) };
    },
  });
  const kept = createKeptCopies<PublishedServer>({
    clock,
    load: async (key) => (await servers.get(key))?.published ?? null,
    bytesOf: (server) => JSON.stringify(server).length,
  });
  const keyOf = (orgId: OrgId, id: string) => ({ orgId, kind: 'authorizationServer', id });
  return {
    find: async (orgId, idOrDefault) =>
      ID.test(idOrDefault) ? ((await servers.get(keyOf(orgId, idOrDefault)))?.configuration ?? null) : null,
    findKept: async (orgId, idOrDefault) => (ID.test(idOrDefault) ? kept.read(keyOf(orgId, idOrDefault)) : null),
    drop: (orgId) => {
      servers.drop(orgId);
      kept.drop(orgId);
    },
    refreshKept: () => kept.refresh(),
  };
}

export const asksGroups = ({ claims, policies }: ServerConfiguration): boolean =>
  claimsAskGroups(claims) ||
  policies.some(({ rules }) =>
    rules.some(({ conditions: { people } }) => people.groups.include.length + people.groups.exclude.length > 0),
  );

/** The default server has two names and therefore two paths. */
export const endpointPaths = ({ facts: { id, isDefault } }: ServerConfiguration, endpoint: string): string[] =>
  (isDefault ? ['default', id] : [id]).map((name) => `/oauth2/${name}/v1/${endpoint}`);
