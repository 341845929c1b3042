export { MAXIMUM_TRUSTED_ORIGINS } from './changes/create-trusted-origin.ts';
export { checkStoredTrustedOrigin } from './check-stored.ts';
export { isTrustedOrigin } from './store.ts';
