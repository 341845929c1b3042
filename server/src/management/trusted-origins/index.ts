export { checkStoredTrustedOrigin } from './check-stored.ts';
export { MAXIMUM_TRUSTED_ORIGINS } from './create-trusted-origin.ts';
export { isTrustedOrigin } from './store.ts';
