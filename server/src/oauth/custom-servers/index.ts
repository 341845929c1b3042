export { claimsOfClient } from './claim-values.ts';
export {
  createServerConfigurations,
  endpointPaths,
  type ServerConfiguration,
  type ServerConfigurations,
} from './server-configuration.ts';
export { createServerTokenVerifier, type ServerTokenVerifier } from './server-tokens.ts';
export { type LockedServer, lockServer } from './store.ts';
