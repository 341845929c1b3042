import type { Generated } from 'kysely';

export interface AbsentUserApprovals {
  org_id: string;
  app_id: string;
  id: string;
  approver_id: string;
  approver_type: string;
  held_roles: unknown;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface ApiTokens {
  org_id: string;
  id: string;
  user_id: string;
  name: string;
  client_name: string;
  token_hash: Buffer;
  network: Generated<unknown>;
  created_at: Date;
  last_updated_at: Date;
  last_used_at: Date;
  revision: Generated<number>;
}

export interface AppCsrs {
  org_id: string;
  app_id: string;
  id: string;
  request: Buffer;
  sealed_key: Buffer;
  created_at: Date;
}

export interface AppGrants {
  org_id: string;
  app_id: string;
  id: string;
  scope: string;
  created_at: Date;
  created_by: string;
  created_by_type: string;
  last_updated_at: Date;
}

export interface AppGroups {
  org_id: string;
  app_id: string;
  group_id: string;
  priority: number;
  profile: Generated<unknown>;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
  valid_from: Generated<Date>;
}

export interface AppKeySets {
  org_id: string;
  app_id: string;
  uri: string;
  keys: unknown;
  fetched_at: Date;
}

export interface AppKeys {
  org_id: string;
  app_id: string;
  id: string;
  kid: string | null;
  jwk: unknown;
  status: string;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface AppLogos {
  org_id: string;
  app_id: string;
  id: string;
  media_type: string;
  content: Buffer;
  created_at: Date;
}

export interface AppNumbers {
  org_id: string;
  last_number: number;
}

export interface AppPolicies {
  org_id: string;
  app_id: string;
  type: string;
  policy_id: string;
}

export interface AppProvisioning {
  org_id: string;
  app_id: string;
  status: string;
  base_url: string | null;
  sealed_token: Buffer | null;
  features: Generated<unknown>;
  revision: Generated<number>;
}

export interface AppSecrets {
  org_id: string;
  app_id: string;
  id: string;
  sealed_secret: Buffer;
  secret_hash: Buffer;
  status: string;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface AppSigningKeys {
  org_id: string;
  app_id: string;
  kid: string;
  jwk: unknown;
  sealed_key: Buffer;
  expires_at: Date;
  created_at: Date;
  last_updated_at: Date;
}

export interface AppUsers {
  org_id: string;
  app_id: string;
  user_id: string;
  scope: string;
  status: Generated<string>;
  user_name: string | null;
  user_name_key: string | null;
  sealed_password: Buffer | null;
  profile: Generated<unknown>;
  created_at: Date;
  status_changed_at: Date;
  last_updated_at: Date;
  password_changed_at: Date | null;
  revision: Generated<number>;
  valid_from: Generated<Date>;
}

export interface Apps {
  org_id: string;
  id: string;
  label: string;
  status: string;
  sign_on_mode: string;
  application_type: string | null;
  document: unknown;
  created_at: Date;
  last_updated_at: Date;
  valid_after: Generated<Date>;
  revision: Generated<number>;
  sealed_password: Buffer | null;
  last_deactivated_at: Date | null;
  implicit_from: Generated<Date>;
  chosen_client_id: string | null;
  chosen_client_key: Generated<string | null>;
  client_id: Generated<string>;
}

export interface AuthenticationTransactions {
  org_id: string;
  token_hash: Buffer;
  user_id: string;
  status: string;
  issued_at: Generated<Date>;
  expires_at: Date;
  details: unknown;
  held_roles: unknown;
}

export interface AuthorizationCodes {
  org_id: string;
  code_hash: Buffer;
  server_id: string;
  client_id: string;
  user_id: string;
  session_external_id: string | null;
  redirect_uri: string | null;
  scopes: unknown;
  nonce: string | null;
  code_challenge: string | null;
  dpop_jkt: string | null;
  auth_time: Date;
  amr: unknown;
  details: unknown;
  created_at: Date;
  expires_at: Date;
  issued_at: Generated<Date>;
  used_at: Date | null;
  refresh_token_id: string | null;
  access_jti_hash: Buffer | null;
}

export interface AuthorizationRequests {
  org_id: string;
  request_hash: Buffer;
  kind: string;
  server_id: string;
  client_id: string;
  parameters: unknown;
  browser_hash: Buffer | null;
  consent: unknown;
  created_at: Date;
  expires_at: Date;
  issued_at: Generated<Date>;
}

export interface AuthorizationServerClaims {
  org_id: string;
  server_id: string;
  id: string;
  name: string;
  status: string;
  claim_type: string;
  value_type: string;
  value: string | null;
  group_filter_type: string | null;
  scopes: unknown;
  always_include: boolean;
  is_system: Generated<boolean>;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface AuthorizationServerPolicies {
  org_id: string;
  server_id: string;
  id: string;
  name: string;
  description: string | null;
  priority: number;
  status: string;
  is_system: Generated<boolean>;
  clients: unknown;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface AuthorizationServerRules {
  org_id: string;
  server_id: string;
  policy_id: string;
  id: string;
  name: string;
  priority: number;
  status: string;
  is_system: Generated<boolean>;
  conditions: unknown;
  access_token_lifetime_minutes: number;
  refresh_token_lifetime_minutes: number;
  refresh_token_window_minutes: number;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface AuthorizationServerScopes {
  org_id: string;
  server_id: string;
  id: string;
  name: string;
  display_name: string | null;
  description: string | null;
  is_system: Generated<boolean>;
  metadata_publish: string;
  consent: string;
  is_optional: Generated<boolean>;
  is_default: Generated<boolean>;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
  valid_after: Generated<Date>;
}

export interface AuthorizationServerTrusts {
  org_id: string;
  server_id: string;
  trusted_server_id: string;
  created_at: Date;
}

export interface AuthorizationServers {
  org_id: string;
  id: string;
  name: string;
  description: string;
  audiences: unknown;
  issuer_mode: string;
  status: string;
  is_default: Generated<boolean>;
  rotation_mode: string;
  valid_after: Generated<Date>;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface Behaviors {
  org_id: string;
  id: string;
  type: string;
  name: string;
  status: string;
  settings: unknown;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface BindingHolders {
  org_id: string | null;
  holder_id: string | null;
  resource_set_id: string | null;
  role_id: string | null;
}

export interface ClientIds {
  org_id: string;
  name_key: string;
  created_at: Date;
}

export interface ClientRoleAssignments {
  org_id: string;
  client_id: string;
  id: string;
  role_type: string;
  created_at: Date;
  last_updated_at: Date;
  is_targeted: Generated<boolean>;
  revision: Generated<number>;
}

export interface CustomRolePermissions {
  org_id: string;
  role_id: string;
  permission: string;
  conditions: unknown;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface CustomRoles {
  org_id: string;
  id: string;
  label: string;
  description: string;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface EmailCustomizations {
  org_id: string;
  id: string;
  template: string;
  language: string;
  is_default: boolean;
  subject: string;
  body: string;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface EmailTemplateSettings {
  org_id: string;
  template: string;
  recipients: string;
  last_updated_at: Date;
  revision: number;
}

export interface EventHooks {
  org_id: string;
  id: string;
  name: string;
  description: string | null;
  status: string;
  verification_status: string;
  subscription: unknown;
  channel: unknown;
  channel_revision: Generated<number>;
  sealed_secret: Buffer | null;
  created_at: Date;
  created_by: string;
  last_updated_at: Date;
  revision: Generated<number>;
  owner_id: string | null;
}

export interface GroupAttributeValues {
  org_id: string;
  attribute_id: number;
  value_key: string;
  group_id: string;
}

export interface GroupMembers {
  org_id: string;
  group_id: string;
  user_id: string;
  is_direct: boolean;
  added_at: Date;
  valid_from: Generated<Date>;
}

export interface GroupOwners {
  org_id: string;
  group_id: string;
  owner_id: string;
  owner_type: string;
  owner_user_id: Generated<string | null>;
  owner_group_id: Generated<string | null>;
  assigned_at: Date;
}

export interface GroupRoleAssignments {
  org_id: string;
  group_id: string;
  id: string;
  role_type: string;
  is_targeted: Generated<boolean>;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface GroupRuleExclusions {
  org_id: string;
  rule_id: string;
  user_id: string;
}

export interface GroupRuleMembers {
  org_id: string;
  rule_id: string;
  group_id: string;
  user_id: string;
}

export interface GroupRuleStates {
  org_id: string;
  version: string;
  requested: Generated<number>;
  running: number | null;
  completed: Generated<number>;
  cursor: string | null;
  users_total: Generated<number>;
  users_examined: Generated<number>;
  added: Generated<number>;
  removed: Generated<number>;
  failed: Generated<number>;
  started_at: Date | null;
  finished_at: Date | null;
}

export interface GroupRules {
  org_id: string;
  id: string;
  name: string;
  name_key: string;
  status: string;
  expression: string;
  target_group_ids: string[];
  excluded_group_ids: Generated<string[]>;
  evaluated_by: number | null;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface Groups {
  org_id: string;
  id: string;
  type: string;
  name: string;
  name_key: string;
  profile: unknown;
  source_id: string | null;
  created_at: Date;
  last_updated_at: Date;
  last_membership_updated_at: Date;
  revision: Generated<number>;
}

export interface HeldRoles {
  org_id: string | null;
  holder_id: string | null;
  role: unknown;
}

export interface IdempotencyKeys {
  org_id: string;
  key_hash: Buffer;
  request_hash: Buffer;
  resource_id: string;
  status: number;
  created_at: Date;
}

export interface IdentityProviderKeys {
  org_id: string;
  kid: string;
  jwk: unknown;
  expires_at: Date;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface IdentityProviders {
  org_id: string;
  id: string;
  type: string;
  name: string;
  status: string;
  document: unknown;
  sealed_secret: Buffer | null;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface Installation {
  name: string;
  value: string;
}

export interface Jobs {
  org_id: string;
  id: Generated<number>;
  kind: string;
  payload: Generated<unknown>;
  dedupe_key: string | null;
  run_at: Date;
  lease_until: Date | null;
  attempts: Generated<number>;
  last_error: string | null;
}

export interface KnownDevices {
  org_id: string;
  user_id: string;
  device_hash: Buffer;
  last_used_at: Date;
}

export interface LinkedObjectDefinitions {
  org_id: string;
  primary_name: string;
  primary_title: string;
  primary_description: string | null;
  associated_name: string;
  associated_title: string;
  associated_description: string | null;
  created_at: Date;
  revision: Generated<number>;
}

export interface LinkedObjectNames {
  org_id: string;
  name: string;
  primary_name: string;
}

export interface LinkedObjectValues {
  org_id: string;
  associated_id: string;
  primary_name: string;
  primary_id: string;
}

export interface LiveClients {
  org_id: string | null;
  id: string | null;
  client_id: string | null;
  label: string | null;
  application_type: string | null;
  valid_after: Date | null;
  scopes: string[] | null;
  roles: string[] | null;
}

export interface LiveConsents {
  org_id: string | null;
  id: string | null;
  user_id: string | null;
  app_id: string | null;
  client_id: string | null;
  server_id: string | null;
  scope_id: string | null;
  decision: string | null;
  source: string | null;
  created_by: string | null;
  created_at: Date | null;
  last_updated_at: Date | null;
  scope_name: string | null;
  scope_display_name: string | null;
  scope_description: string | null;
  login: string | null;
  user_profile: unknown;
  client_label: string | null;
  server_name: string | null;
  is_default_server: boolean | null;
}

export interface LiveRefreshTokens {
  org_id: string | null;
  id: string | null;
  server_id: string | null;
  client_id: string | null;
  user_id: string | null;
  session_external_id: string | null;
  scopes: unknown;
  grant_type: string | null;
  generation: number | null;
  rotated_at: Date | null;
  dpop_jkt: string | null;
  nonce: string | null;
  auth_time: Date | null;
  amr: unknown;
  details: unknown;
  created_at: Date | null;
  last_updated_at: Date | null;
  idle_expires_at: Date | null;
  expires_at: Date | null;
  issued_at: Date | null;
  idle_expires_on: Date | null;
  parent_id: string | null;
  subject_hash: Buffer | null;
  login: string | null;
  user_profile: unknown;
  app_id: string | null;
  client_label: string | null;
  server_name: string | null;
  is_default_server: boolean | null;
}

export interface LiveSessions {
  org_id: string | null;
  id_hash: Buffer | null;
  user_id: string | null;
  external_id: string | null;
  root_external_id: string | null;
  created_at: Date | null;
  last_refreshed_at: Date | null;
  last_password_verified_at: Date | null;
  issued_at: Date | null;
  idle_minutes: number | null;
  lifetime_minutes: number | null;
  expires_at: Date | null;
  amr: string[] | null;
  idp_id: string | null;
  idp_type: string | null;
  client_address: string | null;
  user_agent: string | null;
  login: string | null;
  user_status: string | null;
  user_profile: unknown;
  last_factor_verified_at: Date | null;
}

export interface LogAccess {
  org_id: string;
  reader_id: string;
  hour: Date;
}

export interface LogAnchors {
  org_id: string;
  position: number;
  hash: Buffer;
  signed: string;
  created_at: Date;
}

export interface LogCheckpoints {
  org_id: string;
  position: number;
  hash: Buffer;
  created_at: Date;
  signed: string;
}

export interface LogCursorSkips {
  org_id: string;
  reader_id: string;
  position: number;
  skipped_at: Date;
}

export interface LogDeadLetters {
  org_id: string;
  sink_id: string;
  number: number;
  first_position: number;
  last_position: number;
  uuid: string | null;
  event_type: string | null;
  reason: string;
  status: number | null;
  created_at: Date;
}

export interface LogDeliveries {
  org_id: string;
  sink_id: string;
  number: number;
  batch_id: string;
  first_position: number;
  last_position: number;
  events: number;
  attempt: number;
  outcome: string;
  status: number | null;
  reason: string | null;
  attempted_at: Date;
  milliseconds: number;
}

export interface LogFresh {
  org_id: string;
  position: number;
  persisted_at: Date;
  uuid: string;
  published: Date;
  event_type: string;
  severity: string;
  actor_id: string;
  target_ids: string[];
  outcome_result: string | null;
  client_ip_address: string | null;
  transaction_id: string;
  tokens: number[];
  salt: Buffer | null;
  digest: Buffer;
  hash: Buffer;
  erased_at: Date | null;
  body: string;
}

export interface LogHeads {
  org_id: string;
  position: Generated<number>;
  hash: Generated<Buffer>;
  persisted_at: Generated<Date>;
}

export interface LogInputs {
  org_id: string;
  id: Generated<number>;
  uuid: string;
  published: Date;
  queued_at: Generated<Date>;
  event_type: string;
  format: number;
  input: string;
}

export interface LogKeys {
  org_id: string;
  kid: string;
  public_jwk: unknown;
  first_signed_at: Date;
}

export interface LogOlder {
  org_id: string;
  position: number;
  persisted_at: Date;
  uuid: string;
  published: Date;
  event_type: string;
  severity: string;
  actor_id: string;
  target_ids: string[];
  outcome_result: string | null;
  client_ip_address: string | null;
  transaction_id: string;
  tokens: number[];
  salt: Buffer | null;
  digest: Buffer;
  hash: Buffer;
  erased_at: Date | null;
  body: string;
}

export interface LogOutbox {
  org_id: string;
  id: Generated<number>;
  uuid: string;
  published: Date;
  event_type: string;
  severity: string;
  actor_id: string;
  target_ids: string[];
  outcome_result: string | null;
  client_ip_address: string | null;
  transaction_id: string;
  tokens: number[];
  salt: Buffer;
  digest: Buffer;
  body: string;
  queued_at: Generated<Date | null>;
}

export interface LogQuarantine {
  org_id: string;
  id: number;
  uuid: string;
  event_type: string;
  row: unknown;
  reason: string;
  quarantined_at: Date;
}

export interface LogRelayState {
  only_row: Generated<boolean>;
  low_water: Generated<number>;
  candidate: Generated<number>;
  writers: Generated<string[]>;
  final: Generated<number>;
  waiting: Generated<number>;
  oldest: Date | null;
  measured_at: Generated<Date>;
}

export interface LogSegments {
  org_id: string;
  last_position: number;
  first_position: number;
  events: number;
  first_published: Date;
  last_published: Date;
  first_persisted_at: Date;
  last_persisted_at: Date;
  head: Buffer;
  published: Buffer;
  persisted: Buffer;
  kinds: Buffer;
  salts: Buffer;
  hashes: Buffer;
  bodies: Buffer;
  part_ends: Buffer;
  postings: Buffer;
  bucket_ends: Buffer;
}

export interface LogSinks {
  org_id: string;
  id: string;
  kind: string;
  status: string;
  position: number;
  persisted_at: Date;
  fence: Generated<number>;
  flight_position: number | null;
  flight_attempts: Generated<number>;
  batch_limit: number | null;
  failures: Generated<number>;
  failing_since: Date | null;
  failure_told: Generated<boolean>;
  next_attempt_at: Date | null;
  last_error: string | null;
  last_status: number | null;
  last_delivered_at: Date | null;
  deliveries: Generated<number>;
  dead_letters: Generated<number>;
}

export interface LogStreams {
  org_id: string;
  id: string;
  type: string;
  name: string;
  status: string;
  settings: unknown;
  sealed_secret: Buffer | null;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
  owner_id: string | null;
}

export interface LogUnsealed {
  org_id: string | null;
  position: number | null;
  persisted_at: Date | null;
  uuid: string | null;
  published: Date | null;
  event_type: string | null;
  severity: string | null;
  actor_id: string | null;
  target_ids: string[] | null;
  outcome_result: string | null;
  client_ip_address: string | null;
  transaction_id: string | null;
  tokens: number[] | null;
  salt: Buffer | null;
  digest: Buffer | null;
  hash: Buffer | null;
  erased_at: Date | null;
  body: string | null;
}

export interface MailOutbox {
  org_id: string;
  id: string;
  kind: string;
  user_id: string | null;
  recipient: string;
  subject: string;
  sealed_body: Buffer;
  created_at: Date;
  sent_at: Date | null;
}

export interface NetworkZones {
  org_id: string;
  id: string;
  type: string;
  name: string;
  status: string;
  usage: string;
  system: Generated<boolean>;
  document: unknown;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface Nodes {
  node_id: string;
  version: string;
  seen_at: Date;
}

export interface OrgDomains {
  org_id: string;
  domain: string;
  created_at: Date;
}

export interface OrgTrustedProxies {
  org_id: string;
  cidr: string;
  created_at: Date;
}

export interface Orgs {
  id: string;
  subdomain: string;
  status: Generated<string>;
  company_name: string;
  profile: Generated<unknown>;
  settings: Generated<unknown>;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface Policies {
  org_id: string;
  id: string;
  type: string;
  name: string;
  description: string | null;
  status: string;
  priority: number;
  system: boolean;
  conditions: unknown;
  settings: unknown;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface PolicyRules {
  org_id: string;
  policy_id: string;
  id: string;
  type: string;
  name: string;
  status: string;
  priority: number;
  system: boolean;
  conditions: unknown;
  actions: unknown;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface PolledRequests {
  org_id: string;
  request_hash: Buffer;
  kind: string;
  server_id: string;
  client_id: string;
  user_code_hash: Buffer | null;
  scopes: unknown;
  dpop_jkt: string | null;
  status: string;
  interval_seconds: number;
  last_polled_at: Date | null;
  user_id: string | null;
  session_external_id: string | null;
  auth_time: Date | null;
  amr: unknown;
  details: unknown;
  created_at: Date;
  expires_at: Date;
  issued_at: Generated<Date>;
  approved_at: Date | null;
  asked_user_id: string | null;
  binding_message: string | null;
  acr: string | null;
}

export interface ProfileMappings {
  org_id: string;
  id: string;
  app_id: string;
  app_name: string;
  app_kind: string;
  user_type_id: string;
  direction: string;
  properties: unknown;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface ProfileSchemas {
  org_id: string;
  owner_id: string;
  custom_attributes: Generated<unknown>;
  leaving_attributes: Generated<unknown>;
  version: Generated<number>;
  last_updated_at: Date;
}

export interface RateLimitCounts {
  org_id: string;
  window_start: Date;
  bucket: string;
  key: string;
  count: number;
}

export interface RefreshTokens {
  org_id: string;
  id: string;
  server_id: string;
  client_id: string;
  user_id: string;
  session_external_id: string | null;
  scopes: unknown;
  grant_type: string;
  generation: Generated<number>;
  rotated_at: Date | null;
  dpop_jkt: string | null;
  nonce: string | null;
  auth_time: Date;
  amr: unknown;
  details: unknown;
  created_at: Date;
  last_updated_at: Date;
  idle_expires_at: Date;
  expires_at: Date | null;
  issued_at: Generated<Date>;
  idle_expires_on: Generated<Date | null>;
  parent_id: string | null;
  subject_hash: Buffer | null;
}

export interface ResourceSetResources {
  org_id: string;
  resource_set_id: string;
  id: string;
  kind: string;
  key: string;
  excluded: Generated<unknown>;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
  user_id: Generated<string | null>;
  group_id: Generated<string | null>;
  app_id: Generated<string | null>;
}

export interface ResourceSets {
  org_id: string;
  id: string;
  label: string;
  description: string;
  created_at: Date;
  last_updated_at: Date;
  revision: Generated<number>;
}

export interface RevokedTokens {
  org_id: string;
  jti_hash: Buffer;
  expires_at: Date;
}

export interface RoleBindingMembers {
  org_id: string;
  resource_set_id: string;
  role_id: string;
  id: string;
  member_type: string;
  member_id: string;
  created_at: Date;
  last_updated_at: Date;
  member_user_id: Generated<string | null>;
  member_group_id: Generated<string | null>;
  member_client_id: Generated<string | null>;
}

export interface RoleBindings {
  org_id: string;
  resource_set_id: string;
  role_id: string;
  created_at: Date;
  revision: Generated<number>;
}

export interface RoleHolders {
  org_id: string | null;
  holder_id: string | null;
  assignee_id: string | null;
  role_type: string | null;
  is_targeted: boolean | null;
}

export interface RoleTargets {
  org_id: string;
  assignee_id: string;
  role_type: string;
  target_key: string;
  assignee_type: string;
  target_type: string;
  created_at: Date;
  assignee_user_id: Generated<string | null>;
  assignee_group_id: Generated<string | null>;
  assignee_client_id: Generated<string | null>;
  target_group_id: Generated<string | null>;
  target_app_id: Generated<string | null>;
}

export interface SessionClients {
  org_id: string;
  session_external_id: string;
  client_id: string;
  server_id: string;
  created_at: Date;
  base_url: string | null;
}

export interface SessionTokens {
  org_id: string;
  token_hash: Buffer;
  user_id: string;
  issued_at: Generated<Date>;
  expires_at: Date;
  session: unknown;
  held_roles: unknown;
}

export interface Sessions {
  org_id: string;
  id_hash: Buffer;
  user_id: string;
  external_id: string;
  root_external_id: string;
  created_at: Date;
  last_refreshed_at: Date;
  last_password_verified_at: Date | null;
  issued_at: Generated<Date>;
  idle_minutes: number;
  lifetime_minutes: number;
  expires_at: Date;
  amr: string[];
  idp_id: string;
  idp_type: string;
  client_address: string | null;
  user_agent: string | null;
  authenticated_at: Date | null;
  last_factor_verified_at: Date | null;
}

export interface SignInAttempts {
  org_id: string;
  kind: string;
  key_hash: Buffer;
  window_start: Date;
  count: number;
}

export interface SigningKeys {
  org_id: string;
  kid: string;
  algorithm: string;
  public_jwk: unknown;
  sealed_key: Buffer;
  created_at: Date;
  active_from: Date;
  expires_at: Date | null;
  server_id: Generated<string>;
  custom_server_id: Generated<string | null>;
}

export interface ThemeImages {
  org_id: string;
  digest: string;
  media_type: string;
  content: Buffer;
  created_at: Date;
}

export interface Themes {
  org_id: string;
  primary_color: string | null;
  primary_color_contrast: string | null;
  secondary_color: string | null;
  secondary_color_contrast: string | null;
  logo: string | null;
  favicon: string | null;
  background_image: string | null;
  sign_in_page: string;
  end_user_dashboard: string;
  error_page: string;
  email_template: string;
  loading_page: string;
  last_updated_at: Date;
  revision: number;
}

export interface TokenSubjects {
  org_id: string;
  subject_hash: string;
  user_id: string;
  created_at: Date;
}

export interface TrustedOrigins {
  org_id: string;
  id: string;
  name: string;
  origin: string;
  scopes: unknown;
  status: string;
  created_at: Date;
  created_by: string;
  last_updated_at: Date;
  last_updated_by: string;
  revision: Generated<number>;
}

export interface UsedAssertions {
  org_id: string;
  client_id: string;
  jti_hash: Buffer;
  expires_at: Date;
}

export interface UserAttributeValues {
  org_id: string;
  attribute_id: number;
  value_key: string;
  user_id: string;
}

export interface UserConsents {
  org_id: string;
  id: string;
  user_id: string;
  client_id: string;
  server_id: string;
  scope_id: string;
  decision: string;
  source: string;
  created_by: string;
  created_at: Date;
  last_updated_at: Date;
  issued_at: Generated<Date>;
  valid_after: Date | null;
}

export interface UserFactors {
  org_id: string;
  user_id: string;
  id: string;
  factor_type: string;
  provider: string;
  status: string;
  question: string | null;
  sealed_secret: Buffer | null;
  answer: unknown;
  last_step: number | null;
  drift_steps: Generated<number>;
  wrong_codes: Generated<number>;
  waits_until: Date | null;
  created_at: Date;
  last_updated_at: Date;
}

export interface UserImportBatches {
  org_id: string;
  file_digest: Buffer;
  number: number;
  outcome: unknown;
  problems: unknown;
}

export interface UserImports {
  org_id: string;
  file_digest: Buffer;
  file_name: string;
  request: unknown;
  batch_rows: number;
  batch_bytes: number;
  started_at: Date;
  finished_at: Date | null;
  outcome: unknown;
}

export interface UserPasswordHistory {
  org_id: string;
  user_id: string;
  set_at: Date;
  ordinal: number;
  password: unknown;
}

export interface UserRecoveryTokens {
  org_id: string;
  token_hash: Buffer;
  user_id: string;
  kind: string;
  created_at: Date;
  expires_at: Date;
  held_roles: unknown;
  maker: unknown;
  mailed_to: string | null;
  led_to: Buffer | null;
  wrong_answers: Generated<number>;
}

export interface UserRoleAssignments {
  org_id: string;
  user_id: string;
  id: string;
  role_type: string;
  created_at: Date;
  last_updated_at: Date;
  is_targeted: Generated<boolean>;
  revision: Generated<number>;
}

export interface UserSignIn {
  org_id: string;
  user_id: string;
  password: unknown;
  recovery_answer: unknown;
  last_login_at: Date | null;
  failed_attempts: Generated<number>;
  last_failed_at: Date | null;
  locked_at: Date | null;
  unknown_device_failures: Generated<number>;
  unknown_devices_blocked_at: Date | null;
}

export interface UserTypes {
  org_id: string;
  id: string;
  schema_id: string;
  name: string;
  display_name: string;
  description: string | null;
  is_default: boolean;
  base_overrides: Generated<unknown>;
  schema_version: Generated<number>;
  created_at: Date;
  created_by: string;
  last_updated_at: Date;
  last_updated_by: string;
  custom_attributes: Generated<unknown>;
  leaving_attributes: Generated<unknown>;
}

export interface UserUniqueValues {
  org_id: string;
  attribute_id: number;
  value_key: string;
  user_id: string;
}

export interface Users {
  org_id: string;
  id: string;
  type_id: string;
  status: string;
  status_before_suspension: string | null;
  login: string;
  login_key: string;
  short_login_key: string;
  normal_form_version: number;
  profile: unknown;
  email: Generated<string | null>;
  first_name: Generated<string | null>;
  last_name: Generated<string | null>;
  provider_type: string;
  provider_name: string;
  has_password: boolean;
  recovery_question: string | null;
  created_at: Date;
  activated_at: Date | null;
  status_changed_at: Date | null;
  last_updated_at: Date;
  password_changed_at: Date | null;
  valid_after: Generated<Date>;
  revision: Generated<number>;
  last_deactivated_at: Date | null;
  unproved_email: string | null;
}

export interface DB {
  absent_user_approvals: AbsentUserApprovals;
  api_tokens: ApiTokens;
  app_csrs: AppCsrs;
  app_grants: AppGrants;
  app_groups: AppGroups;
  app_key_sets: AppKeySets;
  app_keys: AppKeys;
  app_logos: AppLogos;
  app_numbers: AppNumbers;
  app_policies: AppPolicies;
  app_provisioning: AppProvisioning;
  app_secrets: AppSecrets;
  app_signing_keys: AppSigningKeys;
  app_users: AppUsers;
  apps: Apps;
  authentication_transactions: AuthenticationTransactions;
  authorization_codes: AuthorizationCodes;
  authorization_requests: AuthorizationRequests;
  authorization_server_claims: AuthorizationServerClaims;
  authorization_server_policies: AuthorizationServerPolicies;
  authorization_server_rules: AuthorizationServerRules;
  authorization_server_scopes: AuthorizationServerScopes;
  authorization_server_trusts: AuthorizationServerTrusts;
  authorization_servers: AuthorizationServers;
  behaviors: Behaviors;
  binding_holders: BindingHolders;
  client_ids: ClientIds;
  client_role_assignments: ClientRoleAssignments;
  custom_role_permissions: CustomRolePermissions;
  custom_roles: CustomRoles;
  email_customizations: EmailCustomizations;
  email_template_settings: EmailTemplateSettings;
  event_hooks: EventHooks;
  group_attribute_values: GroupAttributeValues;
  group_members: GroupMembers;
  group_owners: GroupOwners;
  group_role_assignments: GroupRoleAssignments;
  group_rule_exclusions: GroupRuleExclusions;
  group_rule_members: GroupRuleMembers;
  group_rule_states: GroupRuleStates;
  group_rules: GroupRules;
  groups: Groups;
  held_roles: HeldRoles;
  idempotency_keys: IdempotencyKeys;
  identity_provider_keys: IdentityProviderKeys;
  identity_providers: IdentityProviders;
  installation: Installation;
  jobs: Jobs;
  known_devices: KnownDevices;
  linked_object_definitions: LinkedObjectDefinitions;
  linked_object_names: LinkedObjectNames;
  linked_object_values: LinkedObjectValues;
  live_clients: LiveClients;
  live_consents: LiveConsents;
  live_refresh_tokens: LiveRefreshTokens;
  live_sessions: LiveSessions;
  log_access: LogAccess;
  log_anchors: LogAnchors;
  log_checkpoints: LogCheckpoints;
  log_cursor_skips: LogCursorSkips;
  log_dead_letters: LogDeadLetters;
  log_deliveries: LogDeliveries;
  log_fresh: LogFresh;
  log_heads: LogHeads;
  log_inputs: LogInputs;
  log_keys: LogKeys;
  log_older: LogOlder;
  log_outbox: LogOutbox;
  log_quarantine: LogQuarantine;
  log_relay_state: LogRelayState;
  log_segments: LogSegments;
  log_sinks: LogSinks;
  log_streams: LogStreams;
  log_unsealed: LogUnsealed;
  mail_outbox: MailOutbox;
  network_zones: NetworkZones;
  nodes: Nodes;
  org_domains: OrgDomains;
  org_trusted_proxies: OrgTrustedProxies;
  orgs: Orgs;
  policies: Policies;
  policy_rules: PolicyRules;
  polled_requests: PolledRequests;
  profile_mappings: ProfileMappings;
  profile_schemas: ProfileSchemas;
  rate_limit_counts: RateLimitCounts;
  refresh_tokens: RefreshTokens;
  resource_set_resources: ResourceSetResources;
  resource_sets: ResourceSets;
  revoked_tokens: RevokedTokens;
  role_binding_members: RoleBindingMembers;
  role_bindings: RoleBindings;
  role_holders: RoleHolders;
  role_targets: RoleTargets;
  session_clients: SessionClients;
  session_tokens: SessionTokens;
  sessions: Sessions;
  sign_in_attempts: SignInAttempts;
  signing_keys: SigningKeys;
  theme_images: ThemeImages;
  themes: Themes;
  token_subjects: TokenSubjects;
  trusted_origins: TrustedOrigins;
  used_assertions: UsedAssertions;
  user_attribute_values: UserAttributeValues;
  user_consents: UserConsents;
  user_factors: UserFactors;
  user_import_batches: UserImportBatches;
  user_imports: UserImports;
  user_password_history: UserPasswordHistory;
  user_recovery_tokens: UserRecoveryTokens;
  user_role_assignments: UserRoleAssignments;
  user_sign_in: UserSignIn;
  user_types: UserTypes;
  user_unique_values: UserUniqueValues;
  users: Users;
}
