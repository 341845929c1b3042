export { checkStoredTrustedOrigin } from './check-stored.ts';
export { MAXIMUM_TRUSTED_ORIGINS } from './resource.ts';
export { isTrustedOrigin } from './store.ts';
