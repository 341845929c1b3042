-- Sessions by the SHA-256 of their id, which is the cookie's value. The ids that events show are other ones.
create table sessions (
  org_id                    text collate "C" not null,
  id_hash                   bytea not null,
  user_id                   text collate "C" not null,
  -- `trs...`: authenticationContext.externalSessionId, and the session's root.
  external_id               text collate "C" not null,
  root_external_id          text collate "C" not null,
  -- By the node's clock: what the wire shows.
  created_at                timestamptz not null,
  last_refreshed_at         timestamptz not null,
  last_password_verified_at timestamptz,
  -- By the database's clock: what watermarks are compared with.
  issued_at                 timestamptz not null default clock_timestamp(),
  idle_minutes              integer not null,
  -- 0: unlimited.
  lifetime_minutes          integer not null,
  expires_at                timestamptz not null,
  amr                       text[] not null,
  idp_id                    text not null,
  idp_type                  text not null,
  client_address            text,
  user_agent                text,
  constraint sessions_pkey primary key (org_id, id_hash),
  constraint sessions_external_id_key unique (org_id, external_id),
  constraint sessions_idle_minutes_check check (idle_minutes > 0),
  constraint sessions_lifetime_minutes_check check (lifetime_minutes >= 0),
  constraint sessions_user_id_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade
);
create index sessions_user_id_idx on sessions (org_id, user_id, created_at);
-- Of ranges of pages, for the sweep alone: with an index of rows no refresh could stay on its page (HOT).
create index sessions_expires_at_idx on sessions using brin (expires_at);
alter table sessions set (fillfactor = 70);

-- One use each: what a successful sign-in hands out and `POST /sessions` takes.
create table session_tokens (
  org_id                    text collate "C" not null,
  token_hash                bytea not null,
  user_id                   text collate "C" not null,
  issued_at                 timestamptz not null default clock_timestamp(),
  expires_at                timestamptz not null,
  -- What the session will be: its public id, limits, methods, provider.
  session                   jsonb not null,
  constraint session_tokens_pkey primary key (org_id, token_hash),
  constraint session_tokens_user_id_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade
);
create index session_tokens_expires_at_idx on session_tokens (expires_at);

-- Sign-ins under way: the stateToken's SHA-256 and what it stands for.
create table authentication_transactions (
  org_id     text collate "C" not null,
  token_hash bytea not null,
  user_id    text collate "C" not null,
  status     text collate "C" not null,
  issued_at  timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  details    jsonb not null,
  constraint authentication_transactions_pkey primary key (org_id, token_hash),
  constraint authentication_transactions_user_id_fkey foreign key (org_id, user_id)
    references users (org_id, id) on delete cascade
);
create index authentication_transactions_expires_at_idx on authentication_transactions (expires_at);

-- Devices (hash of the fingerprint) a user has signed in from: strangers' failures don't lock the owner out of these.
create table known_devices (
  org_id       text collate "C" not null,
  user_id      text collate "C" not null,
  device_hash  bytea not null,
  last_used_at timestamptz not null,
  constraint known_devices_pkey primary key (org_id, user_id, device_hash),
  constraint known_devices_user_id_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade
);

-- Exact counts of small limits (sign-ins of a name, failures of an address). Unlogged: a crash forgives a minute.
create unlogged table sign_in_attempts (
  org_id       text collate "C" not null,
  kind         text collate "C" not null,
  key_hash     bytea not null,
  window_start timestamptz not null,
  count        integer not null,
  constraint sign_in_attempts_pkey primary key (org_id, kind, key_hash)
);

alter table user_sign_in
  -- Failures from devices the user never signed in from, and since when those are refused.
  add column unknown_device_failures integer not null default 0,
  add column unknown_devices_blocked_at timestamptz;

alter table user_recovery_tokens drop constraint user_recovery_tokens_kind_check;
alter table user_recovery_tokens
  add constraint user_recovery_tokens_kind_check check (kind in ('ACTIVATION', 'PASSWORD_RESET', 'UNLOCK'));

-- The one place that says which sessions hold (but for their expiry, which is the node's clock's to judge): the row
-- stands, its user is live, and it was issued after everything that voids what came before.
create view live_sessions as
  select s.*, u.login, u.status as user_status, u.profile as user_profile
  from sessions s join users u on u.org_id = s.org_id and u.id = s.user_id
  where u.status not in ('STAGED', 'SUSPENDED', 'DEPROVISIONED') and s.issued_at > u.valid_after;
