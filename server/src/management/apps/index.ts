export { launchLinksOf } from './app-links.ts';
export { findAppPolicy, findAppsOfPolicy, raiseRevisionsUnder, removeAppPolicy } from './app-policy-store.ts';
export { appPolicyChange, assignAppPolicy } from './assign-policy.ts';
export type { ClientCredentials, LiveClient } from './client-credentials.ts';
export { createRemoteKeySets, type RemoteKeySets } from './client-keys.ts';
export { findClientCredentials, lockLiveClient } from './client-store.ts';

export { addClientKey } from './jwk-add.ts';

export { lockApp } from './lock-app.ts';
export { logoAddress } from './logos/logo-address.ts';
export { findLogosOf } from './logos/logo-store.ts';
export type { SignOnMode } from './modes/kind-rules.ts';
export { showApps } from './show-apps.ts';
export { type App, findApp, findAppsByIds, raiseRevision } from './store.ts';
export { appTarget } from './target.ts';
export { wireApp } from './wire.ts';
