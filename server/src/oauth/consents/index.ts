export { readConsents } from './consent-store.ts';
export { lockConsentOf } from './lock-consent-of.ts';
