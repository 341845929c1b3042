export { findProvider, findProviderMatchingBy, listProviderFacts } from './store.ts';
export { wireProviderType } from './type-rules.ts';
