import { type AnyRoute, ok, resourceRoutes, route } from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { updateOrgGeneral } from './changes/update-org.ts';
import { OrgBody, OrgMetadataSchema, OrgSchema } from './contract.ts';
import { getOrg } from './get-org.ts';
import { orgVersion, wireOrg, wireOrgMetadata } from './wire.ts';

export type OrgRoutesPorts = Pick<Foundation, 'db' | 'work' | 'namespace'>;

const orgSettings = resourceRoutes({
  tag: 'OrgSettingGeneral',
  name: 'OrgSettings',
  one: 'the org general settings',
  scope: 'orgs',
  url: '/api/v1/org',
  schema: OrgSchema,
  wire: wireOrg,
  version: orgVersion,
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

export const orgRoutes = (ports: OrgRoutesPorts): AnyRoute[] => [
  orgSettings.get({
    errors: ['E0000007'],
    use: ({ context }) => getOrg(ports.db, context),
  }),
  orgSettings.update({
    body: OrgBody,
    errors: ['E0000007'],
    use: ({ context, body }) => updateOrgGeneral(ports.work, context, body, 'merge'),
  }),
  orgSettings.replace({
    body: OrgBody,
    errors: ['E0000007'],
    use: ({ context, body }) => updateOrgGeneral(ports.work, context, body, 'replace'),
  }),
  metadataRoute(ports),
];
