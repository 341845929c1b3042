export { type ApiTokens, createApiTokens } from './api-tokens.ts';
export { checkStoredToken } from './check-stored.ts';
export { createApiToken } from './create-api-token.ts';
export { revokeTokensNamed, revokeTokensOfUser } from './revoke-api-token.ts';
export { findTokenNaming } from './store.ts';
