import type { Context } from '../../kernel/context.ts';
import { linkKept } from '../../kernel/errors/hints.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import { changeTarget, type Target, toldDocument } from '../../system-log/index.ts';
import { zoneLifecycle } from './lifecycle.ts';
import type { Zone } from './store.ts';

export function wireZone(zone: Zone, context: Context): Record<string, unknown> {
  const address = `${context.baseUrl}/api/v1/zones/${zone.id}`;
  const links: Record<string, unknown> = {
    self: linkKept(address, '/api/v1/zones/:zoneId', zone.system || zone.status === 'ACTIVE'),
  };
  for (const action of zoneLifecycle.linkedFrom(zone.status)) {
    links[action] = { href: `${address}/lifecycle/${action}`, hints: { allow: ['POST'] } };
  }
  return {
    type: zone.type,
    id: zone.id,
    name: zone.name,
    status: zone.status,
    usage: zone.usage,
    created: wireDate(zone.createdAt),
    lastUpdated: wireDate(zone.lastUpdatedAt),
    system: zone.system,
    ...zone.document,
    _links: links,
  };
}

export const zoneVersion = ({ id, revision }: Zone): Version => ({ kind: 'zone', id, revision });

const zoneTarget = (zone: Zone): Target => ({
  id: zone.id,
  type: 'NetworkZone',
  alternateId: zone.usage,
  displayName: zone.name,
});

export const zoneChange = changeTarget(zoneTarget, ({ name, status, usage, document }) => ({
  name,
  status,
  usage,
  ...toldDocument(document),
}));
