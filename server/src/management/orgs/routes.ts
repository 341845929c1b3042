import { type Answer, type AnyRoute, ok, route, versioned } from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { updateOrgGeneral } from './changes/update-org.ts';
import { OrgBody, OrgMetadataSchema, OrgSchema } from './contract.ts';
import { getOrg } from './get-org.ts';
import type { Org } from './store.ts';
import { orgVersion, wireOrg, wireOrgMetadata } from './wire.ts';

export type OrgRoutesPorts = Pick<Foundation, 'db' | 'work' | 'namespace'>;

const common = { tag: 'OrgSettingGeneral', access: 'authenticated', bucket: 'management', cors: false } as const;
const url = '/api/v1/org';

const answer = (org: Org): Answer => versioned(orgVersion(org), wireOrg(org));

const getRoute = ({ db }: OrgRoutesPorts): AnyRoute =>
  route({
    ...common,
    operationId: 'getOrgSettings',
    scopes: ['orgs.read'],
    permission: 'orgs.read',
    method: 'GET',
    url,
    summary: 'Retrieve the org general settings',
    response: { status: 200, schema: OrgSchema },
    errors: ['E0000007'],
    handler: async ({ context }) => answer(await getOrg(db, context)),
  });

const changeRoute = (
  { work }: OrgRoutesPorts,
  given: { operationId: string; method: 'POST' | 'PUT'; summary: string; mode: 'merge' | 'replace' },
): AnyRoute =>
  route({
    ...common,
    operationId: given.operationId,
    scopes: ['orgs.manage'],
    permission: 'orgs.manage',
    method: given.method,
    url,
    summary: given.summary,
    body: OrgBody,
    response: { status: 200, schema: OrgSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, body }) => {
      const org = await updateOrgGeneral(work, context, body, given.mode);
      return answer(org);
    },
  });

const metadataRoute = ({ namespace }: OrgRoutesPorts): AnyRoute =>
  route({
    operationId: 'getWellknownOrgMetadata',
    method: 'GET',
    url: `/.well-known/${namespace.word}-organization`,
    summary: 'Retrieve the org metadata',
    tag: 'OrgSettingMetadata',
    access: 'public',
    scopes: [],
    response: { status: 200, schema: OrgMetadataSchema },
    errors: [],
    bucket: 'unlimited',
    cors: true,
    handler: async ({ context }) => ok(wireOrgMetadata(context)),
  });

const UPDATE = {
  operationId: 'updateOrgSettings',
  method: 'POST',
  summary: 'Update the org general settings',
  mode: 'merge',
} as const;
const REPLACE = {
  operationId: 'replaceOrgSettings',
  method: 'PUT',
  summary: 'Replace the org general settings',
  mode: 'replace',
} as const;

export const orgRoutes = (ports: OrgRoutesPorts): AnyRoute[] => [
  getRoute(ports),
  changeRoute(ports, UPDATE),
  changeRoute(ports, REPLACE),
  metadataRoute(ports),
];
