import type { AnyRoute } from '../../src/platform/http/index.ts';
import { newPublicJwk, serviceApp } from '../support/apps.ts';
import { newClaim, newServer, newServerPolicy, newServerRule } from '../support/authorization-servers.ts';
import type { RequestOptions } from '../support/client.ts';
import { newCustomization } from '../support/email-templates.ts';
import { newRule } from '../support/group-rules.ts';
import { newHook } from '../support/hook-receiver.ts';
import { newOidcProvider, newProviderKey } from '../support/identity-providers.ts';
import { newHttpsStream } from '../support/log-streams.ts';
import { multipart, PNG } from '../support/multipart.ts';
import type { TestOrg } from '../support/service.ts';
import { newTheme } from '../support/themes.ts';

const newUser = { profile: { firstName: 'A', lastName: 'B', login: 'sweep@example.com', email: 'sweep@example.com' } };
const origin = { name: 'a', origin: 'https://a.example', scopes: [{ type: 'CORS' }] };
const hook = newHook('https://hooks.example/in');
const stream = newHttpsStream();
const signOnRule = { type: 'SIGN_ON', name: 'sweep', actions: { signon: { access: 'ALLOW' } } };

const claim = newClaim({ name: 'sweep' });
const server = newServer({ name: 'sweep' });
const serverPolicy = newServerPolicy({ name: 'sweep' });
const serverRule = newServerRule({ name: 'sweep' });

const client = { client_name: 'sweep', redirect_uris: ['https://app.example.com/cb'] };
const BEHAVIOR = { name: 'sweep', type: 'VELOCITY' };
const CSR = { subject: { commonName: 'sweep' } };

const RAW_BODIES: Readonly<Record<string, RequestOptions>> = {
  uploadApplicationLogo: multipart('file', PNG),
  uploadBrandThemeLogo: multipart('file', PNG),
  uploadBrandThemeFavicon: multipart('file', PNG),
  uploadBrandThemeBackgroundImage: multipart('file', PNG),
  publishCsrFromApplication: { raw: 'nonsense', headers: { 'content-type': 'application/x-pem-file' } },
};

const BODIES: Readonly<Record<string, unknown>> = {
  createUser: newUser,
  replaceUser: newUser,
  changePassword: { oldPassword: { value: 'a' }, newPassword: { value: 'b' } },
  forgotPasswordSetNewPassword: { password: { value: 'a' }, recovery_question: { answer: 'answer' } },
  changeRecoveryQuestion: { password: { value: 'a' }, recovery_question: { question: 'q', answer: 'answer' } },
  enrollFactor: { factorType: 'token:software:totp', provider: 'GOOGLE' },
  activateFactor: { passCode: '123456' },
  verifyFactor: { passCode: '123456' },
  assignRoleToUser: { type: 'HELP_DESK_ADMIN' },
  assignRoleToGroup: { type: 'HELP_DESK_ADMIN' },
  createRole: { label: 'sweep', description: 'swept', permissions: ['svc.users.read'] },
  replaceRole: { label: 'sweep', description: 'swept' },
  createResourceSet: { label: 'sweep', description: 'swept', resources: [] },
  replaceResourceSet: { label: 'sweep', description: 'swept' },
  addResourceSetResources: { additions: [] },
  createResourceSetBinding: { role: 'nobody', members: [] },
  addMembersToBinding: { additions: [] },
  assignRoleToClient: { type: 'HELP_DESK_ADMIN' },
  addGroup: { profile: { name: 'sweep' } },
  replaceGroup: { profile: { name: 'sweep' } },
  createGroupRule: newRule(['00g00000000000000000']),
  replaceGroupRule: newRule(['00g00000000000000000']),
  assignUserToApplication: { id: '00u00000000000000000' },
  assignGroupOwner: { id: '00u00000000000000000', type: 'USER' },
  createTrustedOrigin: origin,
  replaceTrustedOrigin: origin,
  upsertApiToken: { name: 'a' },
  replaceOrgSettings: { companyName: 'A' },
  createUserType: { name: 'sweep', displayName: 'Sweep' },
  replaceUserType: { name: 'user', displayName: 'Sweep', description: null },
  createLinkedObjectDefinition: {
    primary: { name: 'sweep', title: 'Sweep', type: 'USER' },
    associated: { name: 'swept', title: 'Swept', type: 'USER' },
  },
  updateProfileMapping: { properties: {} },
  createNetworkZone: { type: 'IP', name: 'sweep', gateways: [] },
  replaceNetworkZone: { type: 'IP', name: 'sweep', gateways: [] },
  createPolicy: { type: 'SVC_SIGN_ON', name: 'sweep' },
  replacePolicy: { type: 'SVC_SIGN_ON', name: 'sweep' },
  mapResourceToPolicy: { resourceId: '0oa00000000000000000' },
  createPolicySimulation: [],
  createBehaviorDetectionRule: BEHAVIOR,
  replaceBehaviorDetectionRule: BEHAVIOR,
  createPolicyRule: signOnRule,
  replacePolicyRule: signOnRule,
  createAuthorizationServer: server,
  replaceAuthorizationServer: server,
  rotateAuthorizationServerKeys: { use: 'sig' },
  createAssociatedServers: { trusted: ['default'] },
  createOAuth2Scope: { name: 'sweep' },
  replaceOAuth2Scope: { name: 'sweep' },
  createOAuth2Claim: claim,
  replaceOAuth2Claim: claim,
  createAuthorizationServerPolicy: serverPolicy,
  replaceAuthorizationServerPolicy: serverPolicy,
  createAuthorizationServerPolicyRule: serverRule,
  replaceAuthorizationServerPolicyRule: serverRule,
  createClient: client,
  replaceClient: client,
  replaceBrandTheme: newTheme(),
  replaceEmailSettings: { recipients: 'ALL_USERS' },
  createEmailCustomization: newCustomization(),
  replaceEmailCustomization: newCustomization(),
  createApplication: serviceApp(),
  replaceApplication: serviceApp(),
  addJwk: newPublicJwk('swept'),
  generateCsrForApplication: CSR,
  updateDefaultProvisioningConnectionForApplication: { profile: { authScheme: 'TOKEN', token: 'swept' } },
  createIdentityProvider: newOidcProvider(),
  replaceIdentityProvider: newOidcProvider(),
  createEventHook: hook,
  replaceEventHook: hook,
  replayEventHook: { position: 1 },
  createLogStream: stream,
  replaceLogStream: stream,
  replayLogStream: { position: 1 },
  createIdentityProviderKey: newProviderKey(),
  replaceIdentityProviderKey: newProviderKey(),
};

/**
 * Returns options with a body that passes the validation of any route with a permission, or without a body if the route
 * requires none.
 */
export function bodyOf(route: AnyRoute, org: TestOrg): RequestOptions {
  if (route.body === undefined || route.bodyOptional === true) return {};
  if (route.operationId === 'grantConsentToScope') return { body: { issuer: org.baseUrl, scopeId: 'svc.users.read' } };
  if (route.operationId === 'addResourceSetResource') {
    return { body: { resourceOrnOrUrl: `${org.baseUrl}/api/v1/users` } };
  }
  return RAW_BODIES[route.operationId] ?? { body: BODIES[route.operationId] ?? {} };
}

export const address = (route: AnyRoute, ids: Readonly<Record<string, string>>): string =>
  route.url.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? 'unknown');
