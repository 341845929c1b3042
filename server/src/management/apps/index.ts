export { MAXIMUM_APPROVALS } from './absent-users/approve-client.ts';
export { findPresence } from './absent-users/find-presence.ts';
export {
  ACCESS_POLICY_OF_APP,
  findAppPolicy,
  findAppsOfPolicy,
  raiseRevisionsUnder,
  removeAppPolicy,
} from './changes/app-policy-store.ts';
export { appPolicyChange, assignAppPolicy } from './changes/assign-policy.ts';
export { createApp } from './changes/create-app.ts';
export { appIdOfClient, lockApp } from './changes/lock-app.ts';
export { replaceClient } from './changes/replace-app.ts';
export {
  checkStoredGrant,
  checkStoredKey,
  checkStoredLogo,
  checkStoredProvisioning,
  checkStoredSigningKey,
} from './check-stored-parts.ts';
export {
  type AuthorizingClient,
  findAuthorizingClient,
  lockAuthorizingClient,
} from './clients/authorizing-client-store.ts';
export { problemOfClientId } from './clients/client-id-rules.ts';
export { createRemoteKeySets, type RemoteKeySets } from './clients/client-keys.ts';
export {
  findClientCredentials,
  findLiveClient,
  findLiveClients,
  GRANTED_SCOPES,
  liveClientReader,
  lockLiveClient,
} from './clients/client-store.ts';
export { deleteClient } from './clients/delete-client.ts';
export { getClient, listClients } from './clients/list-clients.ts';
export type { ClientInput } from './contract.ts';
export type { ClientCredentials, LiveClient } from './credentials/client-credentials.ts';
export { findPlainRedirectApps } from './cross-org-store.ts';
export { checkStoredApp } from './documents/check-stored.ts';
export type { OAuthClientSettings } from './documents/document-contract.ts';
export { type LaunchTarget, launchTargetOf, loginAddress } from './documents/launch-rules.ts';
export { wireLoginMode } from './documents/oauth-settings-rules.ts';
export { addClientKey } from './keys/add-jwk.ts';
export { MAXIMUM_KEYS as MAXIMUM_APP_KEYS } from './keys/jwk-rules.ts';
export { launchLinksOf } from './lists/app-links.ts';
export { getApp } from './lists/get-app.ts';
export { type ShownApp, type ShowPorts, showApps } from './lists/show-apps.ts';
export { logoAddress } from './logos/logo-address.ts';
export { findLogosOf, findLogosOfClients } from './logos/logo-store.ts';
export type { SignOnMode } from './modes/kind-rules.ts';
export type { AppPorts } from './route-ports.ts';
export { renewSecret } from './secrets/renew-secret.ts';
export { MAXIMUM_SECRETS } from './secrets/secret-rules.ts';
export { openSecret } from './secrets/secret-stored.ts';
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
