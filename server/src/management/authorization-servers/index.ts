export { MAXIMUM_CLAIMS } from './change-claim.ts';
export { MAXIMUM_POLICIES as MAXIMUM_SERVER_POLICIES } from './change-policy.ts';
export { MAXIMUM_RULES as MAXIMUM_SERVER_RULES } from './change-rule.ts';
export { MAXIMUM_SCOPES } from './change-scope.ts';
export { MAXIMUM_TRUSTED } from './change-trust.ts';
export {
  checkStoredClaim,
  checkStoredScope,
  checkStoredServer,
  checkStoredServerPolicy,
  checkStoredServerRule,
} from './check-stored.ts';
export { readServerClaims, type ServerClaim } from './claim-store.ts';
export { createDefaultAuthorizationServer } from './create-default-server.ts';
export { MAXIMUM_SERVERS } from './create-server.ts';
export { listWireServerPolicies } from './list-servers.ts';
export { evaluateServerPolicies, type ServerPolicy } from './policy-rules.ts';
export { readServerPolicies } from './policy-store.ts';
export type { SigningOf } from './ports.ts';
export { readServerScopes, type ServerScope } from './scope-store.ts';
export { SYSTEM_SCOPES } from './seed-rules.ts';
export { type AuthorizationServerFacts, findAuthorizationServer } from './store.ts';
export { isTrustedServer } from './trust-store.ts';
export { authorizationServerTarget } from './wire.ts';
