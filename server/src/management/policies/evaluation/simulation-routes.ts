import { type AnyRoute, ok, route, text } from '../../../platform/http/index.ts';
import { SimulationBody, SimulationSchema } from '../contract.ts';
import type { PoliciesPorts } from '../ports.ts';
import { policyCollection, reading } from '../route-declarations.ts';
import { simulatePolicies } from './simulate-policies.ts';

const BODY_LIMIT = {
  bytes: 131_072,
  reason: 'Up to 20 questions, each of which names up to 200 groups and zones.',
};

export const simulationRoutes = (ports: PoliciesPorts): AnyRoute[] => [
  route({
    ...reading,
    operationId: 'createPolicySimulation',
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: `${policyCollection}/simulate`,
    summary: 'Create a policy simulation',
    query: {
      expand: text(
        '`EVALUATED` adds the policies that were passed over, `RULE` adds each condition. A comma combines the two.',
        255,
      ),
    },
    body: SimulationBody,
    readOnly: true,
    response: { status: 200, schema: SimulationSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, query, body }) => ok(await simulatePolicies(ports, context, body, query.expand)),
  }),
];
