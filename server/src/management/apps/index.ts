export type { ClientCredentials, LiveClient } from './client-credentials.ts';
export { createRemoteKeySets, type RemoteKeySets } from './client-keys.ts';
export { findClientCredentials, lockLiveClient } from './client-store.ts';

export { addClientKey } from './jwk-add.ts';

export { findApp } from './store.ts';
