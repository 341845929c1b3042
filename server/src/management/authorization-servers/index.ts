export { MAXIMUM_CLAIMS } from './claims/change-claim.ts';
export { readServerClaims, type ServerClaim } from './claims/claim-store.ts';
export { MAXIMUM_POLICIES as MAXIMUM_SERVER_POLICIES } from './policies/change-policy.ts';
export { evaluateServerPolicies, type ServerPolicy } from './policies/policy-rules.ts';
export { readServerPolicies } from './policies/policy-store.ts';
export type { SigningOf } from './ports.ts';
export { MAXIMUM_SERVERS } from './resource.ts';
export { MAXIMUM_RULES as MAXIMUM_SERVER_RULES } from './rules/change-rule.ts';
export { MAXIMUM_SCOPES } from './scopes/change-scope.ts';
export { readServerScopes, type ServerScope } from './scopes/scope-store.ts';
export {
  checkStoredClaim,
  checkStoredScope,
  checkStoredServer,
  checkStoredServerPolicy,
  checkStoredServerRule,
} from './servers/check-stored.ts';
export { createDefaultAuthorizationServer } from './servers/create-default-server.ts';
export { listWireServerPolicies } from './servers/list-servers.ts';
export { SYSTEM_SCOPES } from './servers/seed-rules.ts';
export { type AuthorizationServerFacts, findAuthorizationServer } from './store.ts';
export { MAXIMUM_TRUSTED } from './trust/change-trust.ts';
export { isTrustedServer } from './trust/trust-store.ts';
export { authorizationServerTarget } from './wire.ts';
