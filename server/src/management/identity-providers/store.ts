import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { ProviderDocument } from './documents/document-contract.ts';
import type { ProtocolType, ProviderType } from './documents/type-rules.ts';
import type { ProviderStatus } from './lifecycle.ts';

export interface Provider {
  readonly id: string;
  readonly type: ProviderType;
  readonly name: string;
  readonly status: ProviderStatus;
  readonly document: ProviderDocument;
  readonly sealedSecret: Buffer | null;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

/** Columns in the spelling of Provider, so that a row needs no mapping. */
const COLUMNS = `id, type, name, status, document, sealed_secret as "sealedSecret", created_at as "createdAt",
  last_updated_at as "lastUpdatedAt", revision`;

/** Every routing decision of an org reads all of its providers. */
export const MAXIMUM_PROVIDERS = 1_000;

export async function findProvider(db: Db, orgId: OrgId, id: string): Promise<Provider | undefined> {
  const text = `select ${COLUMNS} from identity_providers where org_id = $1 and id = $2`;
  const [row] = await prepared<Provider>(db, 'identity_provider_by_id', text, [orgId, id]);
  return row;
}

/** Locks the row, so that the status a caller checks is the status it then changes. */
export async function findProviderForUpdate(tx: Tx, orgId: OrgId, id: string): Promise<Provider | undefined> {
  const text = `select ${COLUMNS} from identity_providers where org_id = $1 and id = $2 for update`;
  const [row] = await prepared<Provider>(tx, 'identity_provider_for_update', text, [orgId, id]);
  return row;
}

/** Facts about a provider that other slices need. */
interface ProviderFacts {
  readonly id: string;
  /** Neutral; `wireProviderType` inserts the namespace word. */
  readonly type: string;
  readonly name: string;
  readonly status: ProviderStatus;
}

/**
 * Locks a provider that something is about to name, so that it is not deleted meanwhile. Undefined when there is none.
 */
export async function lockProviderForKeyShare(tx: Tx, orgId: OrgId, id: string): Promise<ProviderFacts | undefined> {
  const text = 'select id, type, name, status from identity_providers where org_id = $1 and id = $2 for key share';
  const [row] = await prepared<ProviderFacts>(tx, 'identity_provider_hold', text, [orgId, id]);
  return row;
}

/** Lists all providers of an org, by id; there are never more than 1,000. */
export function listProviderFacts(db: Db, orgId: OrgId): Promise<readonly ProviderFacts[]> {
  const text = `select id, type, name, status from identity_providers where org_id = $1 order by id limit $2`;
  return prepared<ProviderFacts>(db, 'identity_provider_facts', text, [orgId, MAXIMUM_PROVIDERS]);
}

/** Counts up to `maximum`. */
export async function countProviders(tx: Tx, orgId: OrgId, maximum: number): Promise<number> {
  const text = `select count(*) as count from (select 1 from identity_providers where org_id = $1 limit $2) t`;
  const [row] = await prepared<{ count: number }>(tx, 'identity_provider_count', text, [orgId, maximum]);
  return row?.count ?? 0;
}

export async function insertProvider(tx: Tx, orgId: OrgId, provider: Provider): Promise<void> {
  const text = `insert into identity_providers
      (org_id, id, type, name, status, document, sealed_secret, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
  await prepared(tx, 'identity_provider_insert', text, [
    orgId,
    provider.id,
    provider.type,
    provider.name,
    provider.status,
    JSON.stringify(provider.document),
    provider.sealedSecret,
    provider.createdAt,
    provider.lastUpdatedAt,
  ]);
}

export async function updateProvider(tx: Tx, orgId: OrgId, provider: Provider): Promise<void> {
  const text = `update identity_providers
    set name = $3, status = $4, document = $5, sealed_secret = $6, last_updated_at = $7,
      revision = revision + 1
    where org_id = $1 and id = $2`;
  await prepared(tx, 'identity_provider_update', text, [
    orgId,
    provider.id,
    provider.name,
    provider.status,
    JSON.stringify(provider.document),
    provider.sealedSecret,
    provider.lastUpdatedAt,
  ]);
}

export async function removeProvider(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  const text = 'delete from identity_providers where org_id = $1 and id = $2';
  await prepared(tx, 'identity_provider_delete', text, [orgId, id]);
}

/**
 * Finds a provider, of this protocol or (null) of any, that verifies messages with this key; undefined when there is
 * none.
 */
export async function findProviderUsingKey(
  tx: Tx,
  orgId: OrgId,
  kid: string,
  protocol: ProtocolType | null = null,
): Promise<{ name: string } | undefined> {
  const text = `select name from identity_providers where org_id = $1 and (
      document #>> '{protocol,credentials,trust,kid}' = $2
      or document #> '{protocol,credentials,trust,additionalKids}' ? $2
    ) and ($3::text is null or document #>> '{protocol,type}' = $3) order by id limit 1`;
  const [row] = await prepared<{ name: string }>(tx, 'identity_provider_by_kid', text, [orgId, kid, protocol]);
  return row;
}

/** Finds a provider that matches users by one of these attributes; undefined when there is none. */
export async function findProviderMatchingBy(
  tx: Tx,
  orgId: OrgId,
  attributes: readonly string[],
): Promise<{ name: string; attribute: string } | undefined> {
  const text = `select name, document #>> '{policy,subject,matchAttribute}' as attribute from identity_providers
    where org_id = $1 and document #>> '{policy,subject,matchAttribute}' = any($2::text[]) order by id limit 1`;
  const [row] = await prepared<{ name: string; attribute: string }>(tx, 'identity_provider_by_match', text, [
    orgId,
    attributes,
  ]);
  return row;
}

export interface ProviderQuery {
  /** Prefix of the name. */
  readonly q: string | null;
  readonly type: ProviderType | null;
}

/** Reads providers by id, nearest to the key first. */
export async function readProviders(
  db: Db,
  orgId: OrgId,
  query: ProviderQuery,
  request: KeysetRequest<string>,
): Promise<Provider[]> {
  const conditions: RawBuilder<unknown>[] = [sql`org_id = ${orgId}`];
  if (query.q !== null) conditions.push(sql`starts_with(name, ${query.q})`);
  if (query.type !== null) conditions.push(sql`type = ${query.type}`);
  const beyond = request.backwards ? sql`<` : sql`>`;
  if (request.key !== null) conditions.push(sql`id ${beyond} ${request.key}`);
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<Provider>`select ${sql.raw(COLUMNS)} from identity_providers
    where ${sql.join(conditions, sql` and `)} order by id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
