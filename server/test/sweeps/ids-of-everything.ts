import {
  createClaim,
  createScope,
  createServer,
  createServerPolicy,
  createServerRule,
  SERVERS,
} from '../support/authorization-servers.ts';
import { customize, templatesOf } from '../support/email-templates.ts';
import { createRule } from '../support/group-rules.ts';
import { addMember, createGroup, groupPath } from '../support/groups.ts';
import { createHook, newHook } from '../support/hook-receiver.ts';
import { newOidcProvider, newProviderKey } from '../support/identity-providers.ts';
import { createStream, newHttpsStream } from '../support/log-streams.ts';
import { PNG } from '../support/multipart.ts';
import { seedRefreshToken } from '../support/refresh-tokens.ts';
import { bindRole } from '../support/roles.ts';
import type { TestOrg, TestService } from '../support/service.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { openSession } from '../support/session-tokens.ts';
import { giveImage, themeOf } from '../support/themes.ts';

async function trustedBy(org: TestOrg, server: string): Promise<string> {
  const { id } = await createServer(org);
  await org.admin.post(`${server}/associatedServers`, { body: { trusted: [id] } });
  return id;
}

async function idsOfServer(org: TestOrg): Promise<Readonly<Record<string, string>>> {
  const { id } = await createServer(org);
  const server = `${SERVERS}/${id}`;
  const policy = await createServerPolicy(org, server);
  return {
    authServerId: id,
    authorizationServerId: id,
    associatedServerId: await trustedBy(org, server),
    scopeId: (await createScope(org, server)).id,
    claimId: (await createClaim(org, server)).id,
    serverPolicyId: policy.id,
    serverRuleId: (await createServerRule(org, `${server}/policies/${policy.id}`)).id,
  };
}

/** Returns a value, in most cases an id, for each name of a path parameter. */
export async function idsOfEverything(service: TestService, org: TestOrg): Promise<Readonly<Record<string, string>>> {
  const user = await org.createUser();
  const origin = await org.admin.post('/api/v1/trustedOrigins', {
    body: { name: 'foreign', origin: 'https://foreign.example', scopes: [{ type: 'CORS' }] },
  });
  const group = await createGroup(org);
  await addMember(org, group.id, user.id);
  await org.admin.post(`${groupPath(group.id)}/owners`, { body: { id: user.id, type: 'USER' } });
  const tokens = await org.admin.get('/api/v1/api-tokens');
  const roles = await org.admin.get(`/api/v1/users/${org.adminUserId}/roles`);
  const types = await org.admin.get('/api/v1/meta/types/user');
  const [policy] = (await org.admin.get('/api/v1/policies?type=SVC_SIGN_ON')).body;
  const [rule] = (await org.admin.get(`/api/v1/policies/${policy.id}/rules`)).body;
  const [feature] = (await org.admin.get('/api/v1/features')).body;
  const [zone] = (await org.admin.get('/api/v1/zones')).body;
  const behavior = await org.admin.post('/api/v1/behaviors', { body: { name: 'sweep', type: 'VELOCITY' } });
  const { id: appId } = await newServiceClient(service, org, { scopes: ['users.read'] });
  const [key] = (await org.admin.get(`/api/v1/apps/${appId}/credentials/jwks`)).body;
  const secret = await org.admin.post(`/api/v1/apps/${appId}/credentials/secrets`, { body: {} });
  const csr = await org.admin.post(`/api/v1/apps/${appId}/credentials/csrs`, {
    body: { subject: { commonName: 'sweep' } },
  });
  const [grant] = (await org.admin.get(`/api/v1/apps/${appId}/grants`)).body;
  const approval = await org.admin.post(`/api/v1/apps/${appId}/absent-user-approvals`);
  const provider = await org.admin.post('/api/v1/idps', { body: newOidcProvider() });
  const certificate = await org.admin.post('/api/v1/idps/credentials/keys', { body: newProviderKey() });
  const side = (name: string) => ({ name, title: name, type: 'USER' });
  await org.admin.post('/api/v1/meta/schemas/user/linkedObjects', {
    body: { primary: side('foreignManager'), associated: side('foreignSubordinate') },
  });
  const [profileMapping] = (await org.admin.get(`/api/v1/mappings?sourceId=${appId}`)).body;
  const factor = await org.admin.post(`/api/v1/users/${user.id}/factors`, {
    body: { factorType: 'token:software:totp', provider: 'GOOGLE' },
  });
  const bound = await bindRole(org, { members: [`${org.baseUrl}/api/v1/users/${user.id}`] });
  return {
    ...bound,
    ...(await idsOfServer(org)),
    targetGroupId: group.id,
    appName: 'oidc_client',
    permissionType: 'svc.users.read',
    roleIdOrEncodedRoleId: 'APP_ADMIN',
    id: user.id,
    userId: user.id,
    trustedOriginId: origin.body.id,
    apiTokenId: tokens.body[0].id,
    roleAssignmentId: roles.body[0].id,
    typeId: types.body[0].id,
    schemaId: String(types.body[0]._links.schema.href).split('/').at(-1) ?? '',
    policyId: policy.id,
    ruleId: rule.id,
    mappingId: appId,
    profileMappingId: profileMapping.id,
    linkedObjectName: 'foreignManager',
    relationshipName: 'foreignManager',
    primaryRelationshipName: 'foreignManager',
    primaryUserId: user.id,
    userIdOrLogin: user.id,
    factorId: factor.body.id,
    behaviorId: behavior.body.id,
    brandId: (await templatesOf(org)).split('/')[4] ?? '',
    themeId: (await themeOf(org)).split('/').at(-1) ?? '',
    digest: (await giveImage(org, 'logo', PNG)).split('/').at(-1) ?? '',
    templateName: 'UserActivation',
    customizationId: (await customize(org, 'UserActivation')).id,
    zoneId: zone.id,
    featureId: feature.id,
    lifecycle: 'ENABLE',
    appId,
    clientId: appId,
    keyId: key.id,
    secretId: secret.body.id,
    csrId: csr.body.id,
    featureName: 'USER_PROVISIONING',
    grantId: grant.id,
    approvalId: approval.body.id,
    tokenId: await seedRefreshToken(service, org, { userId: user.id, clientId: appId }),
    idpId: provider.body.id,
    kid: certificate.body.kid,
    eventHookId: (await createHook(org, newHook('https://hooks.example/in'))).id,
    logStreamId: (await createStream(org, newHttpsStream())).id,
    // All orgs have the same types of streams, so only a type that exists in no org is foreign to an org.
    logStreamType: 'pigeon',
    sessionId: (await openSession(service, org)).id,
    groupId: group.id,
    groupRuleId: (await createRule(org, [group.id])).id,
    ownerId: user.id,
  };
}
