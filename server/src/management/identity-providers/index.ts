export { checkStoredProvider } from './check-stored.ts';
export { findProvider, findProviderMatchingBy, holdProvider, listProviderFacts } from './store.ts';
export { wireProviderType } from './type-rules.ts';
