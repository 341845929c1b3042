import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { columns, type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import { resourceStore } from '../resource/index.ts';
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

const COLUMNS = columns<Provider>('identity_providers', {
  id: 'key',
  type: 'fixed',
  name: 'changes',
  status: 'changes',
  document: 'json',
  sealedSecret: 'changes',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});

export const PROVIDERS = resourceStore('identity_provider', COLUMNS);

export const findProvider = PROVIDERS.find;

export const MAXIMUM_PROVIDERS = 1_000;

interface ProviderFacts {
  readonly id: string;
  /** The type without the namespace word, which `wireProviderType` inserts. */
  readonly type: string;
  readonly name: string;
  readonly status: ProviderStatus;
}

/** The lock prevents the deletion of the provider. */
export async function lockProviderForKeyShare(tx: Tx, orgId: OrgId, id: string): Promise<ProviderFacts | undefined> {
  const text = 'select id, type, name, status from identity_providers where org_id = $1 and id = $2 for key share';
  const [row] = await prepared<ProviderFacts>(tx, 'identity_provider_hold', text, [orgId, id]);
  return row;
}

export function listProviderFacts(db: Db, orgId: OrgId): Promise<readonly ProviderFacts[]> {
  const text = `select id, type, name, status from identity_providers where org_id = $1 order by id limit $2`;
  return prepared<ProviderFacts>(db, 'identity_provider_facts', text, [orgId, MAXIMUM_PROVIDERS]);
}

/** A null `protocol` means any protocol. */
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
  /** The beginning of the name. */
  readonly q: string | null;
  readonly type: ProviderType | null;
}

export function readProviders(
  db: Db,
  orgId: OrgId,
  { q, type }: ProviderQuery,
  request: KeysetRequest<string>,
): Promise<Provider[]> {
  const conditions: RawBuilder<unknown>[] = [];
  if (q !== null) conditions.push(sql`starts_with(name, ${q})`);
  if (type !== null) conditions.push(sql`type = ${type}`);
  return PROVIDERS.readPage(db, orgId, conditions, request);
}
