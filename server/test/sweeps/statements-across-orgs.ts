interface AcrossOrgs {
  readonly pattern: RegExp;
  readonly file: string;
  readonly reason: string;
}

const SWEPT = 'what is over is found in all orgs, a bounded number of rows at a time, and goes org by org';

const swept = (tables: string, column: string, file: string): AcrossOrgs => ({
  pattern: new RegExp(`^select org_id, [\\w, ]+ from (${tables}) where ${column} <`),
  file,
  reason: SWEPT,
});

/** The statements that may read or change rows of any org. In a Citus cluster, only they may look at several shards. */
export const ACROSS_ORGS: readonly AcrossOrgs[] = [
  {
    pattern: /^select (id|org_id as id) from (orgs|org_domains) where (subdomain|domain) = /,
    file: 'management/orgs/cross-org-store.ts',
    reason: 'finds the org of a host',
  },
  {
    pattern: /^select o\.id from orgs o left join /,
    file: 'management/orgs/cross-org-store.ts',
    reason: 'finds orgs that an older version made',
  },
  {
    pattern: /^select org_id, id from jobs /,
    file: 'platform/jobs/cross-org-store.ts',
    reason: 'finds due jobs of all orgs, oldest first',
  },
  {
    pattern: /^insert into rate_limit_counts /,
    file: 'platform/postgres/stores/rate-limit-store.ts',
    reason: 'adds the requests that a process has counted for all orgs',
  },
  {
    pattern: /^delete from rate_limit_counts where window_start /,
    file: 'platform/postgres/stores/cross-org-store.ts',
    reason: 'the windows of all orgs end at the same times',
  },
  swept('idempotency_keys', 'created_at', 'platform/postgres/stores/cross-org-store.ts'),
  swept('mail_outbox', 'created_at', 'platform/mail/cross-org-store.ts'),
  swept('sessions|session_tokens', 'expires_at', 'sign-in/sessions/cross-org-store.ts'),
  swept(
    'authentication_transactions|sign_in_attempts',
    '(?:expires_at|window_start)',
    'sign-in/authn/cross-org-store.ts',
  ),
  swept('revoked_tokens|signing_keys', 'expires_at', 'oauth/revocation/cross-org-store.ts'),
  swept('authorization_codes', 'expires_at', 'oauth/authorization-codes/cross-org-store.ts'),
  swept('refresh_tokens', 'idle_expires_on', 'oauth/refresh-tokens/cross-org-store.ts'),
  swept('used_assertions', 'expires_at', 'oauth/client-authentication/cross-org-store.ts'),
  swept('authorization_requests', 'expires_at', 'oauth/interactions/cross-org-store.ts'),
  swept('polled_requests', 'expires_at', 'oauth/pending-authorizations/cross-org-store.ts'),
  swept('log_access|log_cursor_skips', '(?:hour|skipped_at)', 'system-log/access/access-log-store.ts'),
  {
    pattern: /^select org_id, id from refresh_tokens where \(org_id, id\) > /,
    file: 'oauth/refresh-tokens/cross-org-store.ts',
    reason: 'what is void is found in all orgs, a bounded number of rows at a time, and goes org by org',
  },
  {
    pattern: / from log_(waiting_orgs|relay_measure)\(/,
    file: 'system-log/relay/relay-store.ts',
    reason: 'the relay gives each org that has events its turn',
  },
  {
    pattern: /^insert into jobs .* from log_sinks /,
    file: 'system-log/sinks/cross-org-store.ts',
    reason: 'a drain wakes the sinks of its orgs',
  },
  {
    pattern: /^select .* from log_heads h join orgs o /,
    file: 'system-log/proof/cross-org-store.ts',
    reason: 'finds the logs that went on',
  },
  {
    pattern: / from \(select org_id from log_heads where org_id > /,
    file: 'system-log/sealing/cross-org-store.ts',
    reason: 'the sealer gives each org with due events its turn',
  },
  {
    pattern: /log_ensure_partitions\(/,
    file: 'system-log/relay/relay-store.ts',
    reason: 'partitions are by time and hold events of all orgs',
  },
];
