export { checkStoredProvider, checkStoredProviderKey } from './documents/check-stored.ts';
export { wireProviderType } from './documents/type-rules.ts';
export { MAXIMUM_KEYS as MAXIMUM_PROVIDER_KEYS } from './keys/change-keys.ts';
export {
  findProvider,
  findProviderMatchingBy,
  listProviderFacts,
  lockProviderForKeyShare,
  MAXIMUM_PROVIDERS,
} from './store.ts';
