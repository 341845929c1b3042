export {
  checkStoredClaim,
  checkStoredScope,
  checkStoredServer,
  checkStoredServerPolicy,
  checkStoredServerRule,
} from './check-stored.ts';
export { readServerClaims, type ServerClaim } from './claim-store.ts';
export { createDefaultAuthorizationServer } from './create-default-server.ts';
export { listWireServerPolicies } from './list-servers.ts';
export { evaluateServerPolicies, type ServerPolicy } from './policy-rules.ts';
export { readServerPolicies } from './policy-store.ts';
export type { SigningOf } from './ports.ts';
export { readServerScopes, type ServerScope } from './scope-store.ts';
export { SYSTEM_SCOPES } from './seed-rules.ts';
export { type AuthorizationServerFacts, findAuthorizationServer } from './store.ts';
export { isTrustedServer } from './trust-store.ts';
export { authorizationServerTarget } from './wire.ts';
