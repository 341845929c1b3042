export { type ApiTokens, createApiTokens } from './api-tokens.ts';
export { createApiToken } from './changes/create-api-token.ts';
export { revokeTokensNamed, revokeTokensOfUser } from './changes/revoke-api-token.ts';
export { checkStoredToken } from './check-stored.ts';
export { findTokenNaming } from './store.ts';
