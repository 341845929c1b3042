export { isTrustedOrigin } from './store.ts';
