import { type ClientContext, withoutZones } from '../kernel/client.ts';
import type { Clock } from '../kernel/clock.ts';
import { type OrgId, toOrgId } from '../kernel/words/ids.ts';
import type { Namespace } from '../kernel/words/namespace.ts';
import { type AggregatedRefusal, type EdgeRefusal, refusalAggregator } from '../platform/http/index.ts';
import { systemContext } from './access/system-context.ts';
import type { Work } from './relay/work.ts';
import type { NewEvent } from './write/event.ts';

export interface EdgeEvents {
  /** Counts a refusal in memory, without a transaction. */
  readonly refused: (refusal: EdgeRefusal) => void;
  /** Writes the events of past minutes, and of the current minute if `all` is true. */
  readonly flush: (all: boolean) => Promise<void>;
}

interface ZoneNames {
  readonly names: () => readonly string[];
}

export type ZonesAtPort = (orgId: OrgId, address: string | null) => ZoneNames | Promise<ZoneNames>;

/**
 * Returns the client of an aggregated event. The result is empty if the event does not stand for a single known client.
 */
export async function clientOf(
  counted: AggregatedRefusal<{ readonly client: ClientContext }>,
  zonesAt: ZonesAtPort,
): Promise<{ client?: ClientContext }> {
  if (counted.client === null) return {};
  const { client } = counted.sample;
  const { names } = await zonesAt(toOrgId(counted.orgId), client.ipAddress);
  return { client: { ...client, zoneNames: names } };
}

const EVENT_TYPES = {
  rateLimit: 'system.org.rate_limit.violation',
  addressLimit: 'system.client.rate_limit.violation',
  credential: 'security.credential.refuse',
  network: 'system.api_token.request_outside_allowed_range',
  permission: 'security.access.deny',
  blocked: 'security.request.blocked',
} as const satisfies Record<EdgeRefusal['kind'], NewEvent['eventType']>;

const outcomes = {
  rateLimit: { result: 'RATE_LIMIT', reason: 'LIMIT_EXCEEDED' },
  addressLimit: { result: 'RATE_LIMIT', reason: 'LIMIT_EXCEEDED' },
  credential: { result: 'FAILURE', reason: 'INVALID_CREDENTIALS' },
  network: { result: 'DENY', reason: 'NETWORK' },
  permission: { result: 'DENY', reason: 'MISSING_PERMISSION' },
  blocked: { result: 'DENY', reason: 'BLOCKLIST' },
} as const;

function targetOf({ bucket, token, zone }: EdgeRefusal): { id: string; type: string; displayName: string } {
  if (zone !== undefined) return { id: zone.id, type: 'NetworkZone', displayName: zone.name };
  if (token !== undefined) return { id: token.id, type: 'Token', displayName: token.name };
  return { id: bucket ?? '', type: 'Bucket', displayName: bucket ?? '' };
}

function eventOf({ sample, count, windowStartEpochSeconds }: AggregatedRefusal<EdgeRefusal>): NewEvent {
  const target = targetOf(sample);
  return {
    eventType: EVENT_TYPES[sample.kind],
    outcome: outcomes[sample.kind],
    ...(sample.actor === undefined ? {} : { actor: sample.actor }),
    ...(target.id === '' ? {} : { target: [target] }),
    debugData: {
      count: String(count),
      minute: new Date(windowStartEpochSeconds * 1_000).toISOString(),
      requestUri: sample.requestUri,
    },
  };
}

/** Each process combines the refusals of a minute with the same org, kind, target and client into one event. */
export function createEdgeEvents(options: {
  clock: Clock;
  namespace: Namespace;
  work: Work;
  zonesAt: ZonesAtPort;
}): EdgeEvents {
  const { clock, namespace, work, zonesAt } = options;
  const aggregator = refusalAggregator<EdgeRefusal>({ clock });
  const write = async (refusal: AggregatedRefusal<EdgeRefusal>): Promise<void> => {
    const orgId = toOrgId(refusal.orgId);
    const context = systemContext({ orgId, namespace, name: 'edge', now: clock.now() });
    await work({ ...context, ...(await clientOf(refusal, zonesAt)) }, async (_tx, record) => record(eventOf(refusal)));
  };
  return {
    refused: (refusal) => {
      const { org, kind, client } = refusal;
      aggregator.count(
        {
          orgId: org.orgId,
          kind: `${kind}:${refusal.bucket ?? refusal.zone?.id ?? refusal.token?.id ?? ''}`,
          client: client.ipAddress,
        },
        { ...refusal, client: withoutZones(client) },
      );
    },
    flush: async (all) => {
      for (const refusal of all ? aggregator.drainAll() : aggregator.drain()) await write(refusal);
    },
  };
}
