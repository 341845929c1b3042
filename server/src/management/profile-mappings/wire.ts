import type { Context } from '../../kernel/context.ts';
import { changeTarget, type JsonObject, type Target } from '../../system-log/index.ts';
import { defaultProperties, type MappedProperties } from './default-properties.ts';
import type { ProfileMapping } from './store.ts';

export const propertiesOf = ({ appKind, direction, properties }: ProfileMapping): MappedProperties =>
  properties ?? defaultProperties(appKind, direction);

function appEnd({ appId, appKind, appName }: ProfileMapping, { baseUrl }: Context): Record<string, unknown> {
  const collection = appKind === 'PROVIDER' ? 'idps' : 'apps';
  return {
    id: appId,
    name: appName,
    type: 'appuser',
    _links: {
      self: { href: `${baseUrl}/api/v1/${collection}/${appId}` },
      schema: { href: `${baseUrl}/api/v1/meta/schemas/apps/${appId}/default` },
    },
  };
}

const userEnd = (mapping: ProfileMapping, { baseUrl }: Context): Record<string, unknown> => ({
  id: mapping.userTypeId,
  name: mapping.userTypeName,
  type: 'user',
  _links: {
    self: { href: `${baseUrl}/api/v1/meta/types/user/${mapping.userTypeId}` },
    schema: { href: `${baseUrl}/api/v1/meta/schemas/user/${mapping.schemaId}` },
  },
});

export function wireListedMapping(mapping: ProfileMapping, context: Context): Record<string, unknown> {
  const [app, user] = [appEnd(mapping, context), userEnd(mapping, context)];
  const [source, target] = mapping.direction === 'TO_USER' ? [app, user] : [user, app];
  return {
    id: mapping.id,
    source,
    target,
    _links: { self: { href: `${context.baseUrl}/api/v1/mappings/${mapping.id}` } },
  };
}

export function wireMapping(mapping: ProfileMapping, context: Context): Record<string, unknown> {
  const { _links, ...listed } = wireListedMapping(mapping, context);
  return { ...listed, properties: propertiesOf(mapping), _links };
}

function mappingTarget({ appName, direction, id, userTypeName }: ProfileMapping): Target {
  const ends = direction === 'TO_USER' ? [appName, userTypeName] : [userTypeName, appName];
  return { id, type: 'ProfileMapping', alternateId: appName, displayName: ends.join(' to ') };
}

export const mappingChange = changeTarget(
  mappingTarget,
  (mapping): JsonObject =>
    Object.fromEntries(Object.entries(propertiesOf(mapping)).map(([name, property]) => [name, { ...property }])),
);
