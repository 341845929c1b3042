import { type AnyRoute, DOCUMENT_BODY, ok, route, text } from '../../platform/http/index.ts';
import { SimulationBody, SimulationSchema } from './contract.ts';
import type { PoliciesPorts } from './ports.ts';
import { policyCollection, reading } from './route-declarations.ts';
import { simulatePolicies } from './simulate-policies.ts';

export const simulationRoutes = (ports: PoliciesPorts): AnyRoute[] => [
  route({
    ...reading,
    operationId: 'createPolicySimulation',
    bodyLimit: DOCUMENT_BODY,
    method: 'POST',
    url: `${policyCollection}/simulate`,
    summary: 'Create a policy simulation',
    query: { expand: text('EVALUATED: also what was passed; RULE: also each condition; or both.', 255) },
    body: SimulationBody,
    readOnly: true,
    response: { status: 200, schema: SimulationSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, query, body }) => ok(await simulatePolicies(ports, context, body, query.expand)),
  }),
];
