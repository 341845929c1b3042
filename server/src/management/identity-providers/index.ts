export { MAXIMUM_KEYS as MAXIMUM_PROVIDER_KEYS } from './change-keys.ts';
export { checkStoredProvider, checkStoredProviderKey } from './check-stored.ts';
export { findProvider, findProviderMatchingBy, holdProvider, listProviderFacts, MAXIMUM_PROVIDERS } from './store.ts';
export { wireProviderType } from './type-rules.ts';
