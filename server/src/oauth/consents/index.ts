export { lockConsentOf } from './lock-consent-of.ts';
