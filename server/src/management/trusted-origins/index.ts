export { createTrustedOrigin } from './create-trusted-origin.ts';
export { TRUSTED_ORIGIN_STATUSES, type TrustedOriginStatus, trustedOriginLifecycle } from './lifecycle.ts';
export type { TrustedOrigin } from './store.ts';
