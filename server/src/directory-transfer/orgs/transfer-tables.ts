/** A column that the installation's master key seals. */
export interface SealedColumn {
  readonly column: string;
  /** The columns that identify the row in the seal. Their values are joined by a slash unless `between` is set. */
  readonly row: readonly string[];
  readonly between?: string;
  /** Whether an export without secrets contains null in this column or omits the whole row. */
  readonly without: 'null' | 'noRow';
}

/** Unless `part` is set, the catalog of the database determines the columns and the key of the table. */
export interface TransferTable {
  readonly name: string;
  readonly sealed?: SealedColumn;
  /**
   * This is true for tables that are exported only together with password hashes, because each row contains the hash of
   * a credential.
   */
  readonly onlyWithHashes?: true;
  /** SQL that replaces columns if hashes are left out. */
  readonly withoutHashes?: Readonly<Record<string, string>>;
  /** SQL that replaces columns in every export. */
  readonly always?: Readonly<Record<string, string>>;
  /** This is set for tables of which only some rows are exported. */
  readonly part?: {
    readonly rows: string;
    readonly columns: readonly string[];
    readonly key: readonly string[];
  };
}

const SECRET = { column: 'sealed_secret', row: ['id'], without: 'null' } as const satisfies SealedColumn;
/**
 * Imported memberships and assignments are valid from the beginning of time. This is safe, because no OAuth tokens are
 * imported.
 */
const HELD = { valid_from: `'-infinity'` } as const;
/** Sinks are imported as inactive, because the log that they read stays in the old installation. */
const STOPPED = { status: `'INACTIVE'` } as const;

export const CARRIED_JOBS: readonly string[] = [
  'groupRules.evaluate',
  'groupRules.release',
  'oauth.rotateSigningKeys',
  'purgeAttribute',
];

export const LEFT_OUT_JOBS: Readonly<Record<string, string>> = {
  'log.sink': 'hooks and streams are imported as inactive; activating one creates its job',
  'logStreams.removeFiles': 'files on this machine',
  'oauth.backchannelLogout': 'notifies apps of sessions, which are not exported',
  'mail.send': 'mails that are being sent are not exported',
  'orgs.delete': 'an org that is being deleted is not exported',
  'users.renewLinks': 'mailed links lead to this installation',
};

/** Rows are imported in this order, so no table may refer to a later one. */
export const TRANSFER_TABLES: readonly TransferTable[] = [
  { name: 'orgs' },
  { name: 'org_domains' },
  { name: 'org_trusted_proxies' },
  { name: 'trusted_origins' },
  { name: 'network_zones' },
  { name: 'behaviors' },
  { name: 'email_customizations' },
  { name: 'email_template_settings' },
  { name: 'theme_images' },
  { name: 'themes' },
  { name: 'user_types' },
  { name: 'profile_schemas' },
  { name: 'users', withoutHashes: { has_password: 'false', recovery_question: 'null' } },
  { name: 'user_sign_in', withoutHashes: { password: 'null', recovery_answer: 'null' } },
  { name: 'user_password_history', onlyWithHashes: true },
  {
    name: 'user_factors',
    onlyWithHashes: true,
    sealed: { column: 'sealed_secret', row: ['user_id', 'id'], without: 'noRow' },
  },
  { name: 'user_attribute_values' },
  { name: 'user_unique_values' },
  { name: 'token_subjects' },
  { name: 'linked_object_definitions' },
  { name: 'linked_object_names' },
  { name: 'linked_object_values' },
  { name: 'identity_providers', sealed: SECRET },
  { name: 'identity_provider_keys' },
  { name: 'client_ids' },
  { name: 'app_numbers' },
  {
    name: 'apps',
    always: { implicit_from: HELD.valid_from },
    sealed: { column: 'sealed_password', row: ['id'], without: 'null' },
  },
  { name: 'app_keys' },
  { name: 'app_secrets', sealed: { column: 'sealed_secret', row: ['app_id', 'id'], without: 'noRow' } },
  { name: 'app_signing_keys', sealed: { column: 'sealed_key', row: ['app_id', 'kid'], without: 'noRow' } },
  { name: 'app_csrs', sealed: { column: 'sealed_key', row: ['app_id', 'id'], without: 'noRow' } },
  { name: 'app_logos' },
  { name: 'app_provisioning', sealed: { column: 'sealed_token', row: ['app_id'], without: 'null' } },
  { name: 'app_grants' },
  { name: 'absent_user_approvals' },
  { name: 'profile_mappings' },
  { name: 'groups' },
  { name: 'group_attribute_values' },
  { name: 'group_owners' },
  { name: 'group_members', always: HELD },
  { name: 'group_rules' },
  { name: 'group_rule_exclusions' },
  { name: 'group_rule_members' },
  // After the import, an unfinished pass over all users starts again from the beginning.
  { name: 'group_rule_states', always: { running: 'null', cursor: 'null' } },
  {
    name: 'app_users',
    always: HELD,
    sealed: { column: 'sealed_password', row: ['app_id', 'user_id'], between: ':', without: 'null' },
  },
  { name: 'app_groups', always: HELD },
  { name: 'user_role_assignments' },
  { name: 'group_role_assignments' },
  { name: 'client_role_assignments' },
  { name: 'role_targets' },
  { name: 'custom_roles' },
  { name: 'custom_role_permissions' },
  { name: 'resource_sets' },
  { name: 'resource_set_resources' },
  { name: 'role_bindings' },
  { name: 'role_binding_members' },
  { name: 'api_tokens', onlyWithHashes: true },
  { name: 'policies' },
  { name: 'policy_rules' },
  { name: 'app_policies' },
  { name: 'authorization_servers' },
  { name: 'authorization_server_scopes' },
  { name: 'authorization_server_claims' },
  { name: 'authorization_server_policies' },
  { name: 'authorization_server_rules' },
  { name: 'authorization_server_trusts' },
  { name: 'user_consents' },
  { name: 'event_hooks', sealed: SECRET, always: STOPPED },
  { name: 'log_streams', sealed: SECRET, always: STOPPED },
  { name: 'signing_keys', sealed: { column: 'sealed_key', row: ['kid'], without: 'noRow' } },
  {
    name: 'jobs',
    part: {
      rows: `kind in (${CARRIED_JOBS.map((kind) => `'${kind}'`).join(', ')}) and dedupe_key is not null`,
      columns: ['org_id', 'kind', 'payload', 'dedupe_key', 'run_at'],
      key: ['kind', 'dedupe_key'],
    },
    // The imported jobs run immediately.
    always: { run_at: `'epoch'::timestamptz` },
  },
];

const LOG = 'the log proves what happened in its own installation; export it with gatehouse log export';
const VOLATILE = 'short-lived state of sign-ins and requests';
const SINK = 'the position of a delivery in a log that is not exported';
const CACHE = 'is read again from where it came';

export const LEFT_OUT_TABLES: Readonly<Record<string, string>> = {
  app_key_sets: CACHE,
  authentication_transactions: VOLATILE,
  authorization_codes: VOLATILE,
  authorization_requests: VOLATILE,
  idempotency_keys: VOLATILE,
  known_devices: VOLATILE,
  log_access: LOG,
  log_anchors: LOG,
  log_checkpoints: LOG,
  log_cursor_skips: LOG,
  log_dead_letters: SINK,
  log_deliveries: SINK,
  log_fresh: LOG,
  log_heads: LOG,
  log_inputs: LOG,
  log_keys: LOG,
  log_older: LOG,
  log_outbox: LOG,
  log_quarantine: LOG,
  log_segments: LOG,
  log_sinks: SINK,
  mail_outbox: 'mails that are being sent, sealed with the key of this installation',
  polled_requests: VOLATILE,
  rate_limit_counts: VOLATILE,
  refresh_tokens: 'made with the master key of this installation, so useless elsewhere',
  revoked_tokens: 'tokens of this installation, which another one never issued',
  session_clients: VOLATILE,
  session_tokens: VOLATILE,
  sessions: VOLATILE,
  sign_in_attempts: VOLATILE,
  used_assertions: VOLATILE,
  user_import_batches: 'progress of an import into this installation',
  user_imports: 'progress of an import into this installation',
  user_recovery_tokens: 'mailed links, which contain an address of this installation',
};
