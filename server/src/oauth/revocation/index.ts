export { dropSpentTokens } from './cross-org-store.ts';
