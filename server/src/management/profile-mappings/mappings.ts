import { isDeepStrictEqual } from 'node:util';
import { attributeSight } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import { assertVersion, type Version } from '../../kernel/version.ts';
import type { KeysetPage } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import { changedRow, type ListPorts, type PageQuery, pageById, type RawQuery } from '../resource/index.ts';
import { lockAppUserSchemaForWrite, lockSchemaForWrite } from '../schemas/index.ts';
import type { MappingUpdate } from './contract.ts';
import { type MappingSchemas, readMappingUpdate } from './read-update.ts';
import { findMapping, findMappingForUpdate, type ProfileMapping, readMappings, storeProperties } from './store.ts';
import { mappingChange, propertiesOf } from './wire.ts';

const TYPE = 'ProfileMapping';

export const mappingVersion = ({ id, revision }: ProfileMapping): Version => ({
  kind: 'profileMapping',
  id,
  revision,
});

export interface ListMappingsQuery extends PageQuery {
  readonly sourceId: string | undefined;
  readonly targetId: string | undefined;
}

export const listMappings = (
  ports: ListPorts,
  context: Context,
  query: ListMappingsQuery,
  rawQuery: RawQuery,
): Promise<KeysetPage<ProfileMapping>> => {
  const wanted = { sourceId: query.sourceId ?? null, targetId: query.targetId ?? null };
  return pageById(ports, context, 'listProfileMappings', query, rawQuery, (request) =>
    readMappings(ports.db, context.orgId, wanted, request),
  );
};

export async function getMapping(db: Db, context: Context, id: string): Promise<ProfileMapping> {
  const mapping = await findMapping(db, context.orgId, id);
  if (mapping === undefined) throw notFound(id, TYPE);
  return mapping;
}

async function lockSchemas(tx: Tx, context: Context, mapping: ProfileMapping): Promise<MappingSchemas> {
  const user = await lockSchemaForWrite(tx, context.orgId, mapping.userTypeId);
  if (user === null) throw notFound(mapping.id, TYPE);
  const appUser = await lockAppUserSchemaForWrite(tx, context.orgId, { id: mapping.appId, kind: mapping.appKind });
  return mapping.direction === 'TO_USER'
    ? { source: appUser, target: user.schema }
    : { source: user.schema, target: appUser };
}

export function updateMapping(
  work: Work,
  context: Context,
  id: string,
  update: MappingUpdate,
): Promise<ProfileMapping> {
  return work(context, async (tx, record) => {
    // The schemas are locked before the row, as in a change to a schema.
    const schemas = await lockSchemas(tx, context, await getMapping(tx, context, id));
    const before = await findMappingForUpdate(tx, context.orgId, id);
    if (before === undefined) throw notFound(id, TYPE);
    assertVersion(context, mappingVersion(before));
    const current = propertiesOf(before);
    const properties = readMappingUpdate(update, current, schemas, {
      direction: before.direction,
      sight: attributeSight(context),
    });
    if (isDeepStrictEqual(properties, current)) return before;
    const after = changedRow(context, before, { properties });
    await storeProperties(tx, context.orgId, after);
    record({ eventType: 'directory.mapping.update', target: [mappingChange([before, after])] });
    return after;
  });
}
