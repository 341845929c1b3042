export { consentDue } from './consent-rules.ts';
export { lockConsents } from './consent-store.ts';
