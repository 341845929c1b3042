export { MAXIMUM_APPROVALS } from './absent-users/approve-client.ts';
export { findPresence } from './absent-users/find-presence.ts';
export { launchLinksOf } from './app-links.ts';
export {
  ACCESS_POLICY_OF_APP,
  findAppPolicy,
  findAppsOfPolicy,
  raiseRevisionsUnder,
  removeAppPolicy,
} from './app-policy-store.ts';
export { appPolicyChange, assignAppPolicy } from './assign-policy.ts';
export { type AuthorizingClient, findAuthorizingClient, lockAuthorizingClient } from './authorizing-client-store.ts';
export { checkStoredApp } from './check-stored.ts';
export {
  checkStoredGrant,
  checkStoredKey,
  checkStoredLogo,
  checkStoredProvisioning,
  checkStoredSigningKey,
} from './check-stored-parts.ts';
export type { ClientCredentials, LiveClient } from './client-credentials.ts';
export { problemOfClientId } from './client-id-rules.ts';
export { createRemoteKeySets, type RemoteKeySets } from './client-keys.ts';
export { findClientCredentials, findLockedClient, GRANTED_SCOPES, lockLiveClient } from './client-store.ts';
export type { ClientInput } from './contract.ts';
export { createApp } from './create-app.ts';
export { findPlainRedirectApps } from './cross-org-store.ts';
export { deleteClient } from './delete-client.ts';
export type { OAuthClientSettings } from './document-contract.ts';
export { getApp } from './get-app.ts';
export { wireGrantType } from './grant-type-rules.ts';
export { addClientKey } from './jwk-add.ts';
export { MAXIMUM_KEYS as MAXIMUM_APP_KEYS } from './jwk-rules.ts';
export { type LaunchTarget, launchTargetOf, loginAddress } from './launch-rules.ts';
export { getClient, listClients } from './list-clients.ts';
export { appIdOfClient, lockApp } from './lock-app.ts';
export { logoAddress } from './logos/logo-address.ts';
export { findLogosOf, findLogosOfClients } from './logos/logo-store.ts';
export type { SignOnMode } from './modes/kind-rules.ts';
export { wireLoginMode } from './oauth-settings-rules.ts';
export { replaceClient } from './replace-app.ts';
export type { AppPorts } from './route-ports.ts';
export { renewSecret } from './secret-renew.ts';
export { MAXIMUM_SECRETS } from './secret-rules.ts';
export { openSecret } from './secret-stored.ts';
export { type ShownApp, type ShowPorts, showApps } from './show-apps.ts';
export { MAXIMUM_CSRS } from './signing-keys/csr.ts';
export { MAXIMUM_SIGNING_KEYS } from './signing-keys/signing-key.ts';
export {
  type App,
  type ClientApp,
  findApp,
  findAppOfClient,
  findAppsByIds,
  findClientIds,
  isClientApp,
  raiseRevision,
} from './store.ts';
export { appTarget } from './target.ts';
export { appVersion, wireApp } from './wire.ts';
