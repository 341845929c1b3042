import { withoutZones } from '../../kernel/client.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { toOrgId } from '../../kernel/words/ids.ts';
import type { Namespace } from '../../kernel/words/namespace.ts';
import { wireProviderType } from '../../management/identity-providers/index.ts';
import { policyRuleTarget, policyTarget, type RoutingDecision } from '../../management/policies/index.ts';
import { type AggregatedRefusal, refusalAggregator } from '../../platform/http/index.ts';
import { clientOf, type NewEvent, systemContext, type Work, type ZonesAtPort } from '../../system-log/index.ts';

export interface RoutingEvents {
  readonly routed: (context: Context, decision: RoutingDecision) => void;
  /** Writes the events of the minutes that are over, and with `all` also the events of the current minute. */
  readonly flush: (all: boolean) => Promise<void>;
}

interface Sample {
  readonly decision: RoutingDecision;
  readonly client: Context['client'];
}

function eventOf(
  { sample: { decision }, count, windowStartEpochSeconds }: AggregatedRefusal<Sample>,
  upperWord: string,
): NewEvent {
  const { policyId, policyName, providers, ruleId, ruleName } = decision;
  const chosen = providers.filter(({ id }) => id !== null);
  return {
    eventType: 'system.idp.route',
    target: [
      policyTarget({ id: policyId, name: policyName }),
      policyRuleTarget({ id: ruleId, name: ruleName }),
      ...chosen.map(({ id, name, type }) => ({
        id: id ?? '',
        type: 'IdentityProvider',
        alternateId: wireProviderType(type, upperWord),
        displayName: name,
      })),
    ],
    debugData: { count: String(count), minute: new Date(windowStartEpochSeconds * 1_000).toISOString() },
  };
}

/** Each process combines the decisions of a minute for the same org, client and rule into one event. */
export function createRoutingEvents(options: {
  clock: Clock;
  namespace: Namespace;
  work: Work;
  zonesAt: ZonesAtPort;
}): RoutingEvents {
  const { clock, namespace, work, zonesAt } = options;
  const aggregator = refusalAggregator<Sample>({ clock });
  const write = async (counted: AggregatedRefusal<Sample>): Promise<void> => {
    const orgId = toOrgId(counted.orgId);
    const context = systemContext({ orgId, namespace, name: 'routing', now: clock.now() });
    await work({ ...context, ...(await clientOf(counted, zonesAt)) }, async (_tx, record) =>
      record(eventOf(counted, namespace.upper)),
    );
  };
  return {
    routed: ({ client, orgId }, decision) => {
      aggregator.count(
        { orgId, kind: `route:${decision.ruleId}`, client: client.ipAddress },
        { decision, client: withoutZones(client) },
      );
    },
    flush: async (all) => {
      for (const counted of all ? aggregator.drainAll() : aggregator.drain()) await write(counted);
    },
  };
}
