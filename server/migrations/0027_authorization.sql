-- Authorization requests that wait: for their user to sign in and to consent, or, pushed (RFC 9126), for their client's
-- user to come. By the SHA-256 of the secret that names them.
create table authorization_requests (
  org_id       text collate "C" not null,
  request_hash bytea not null,
  kind         text collate "C" not null,
  -- '': the org's own server, which is no row.
  server_id    text collate "C" not null,
  client_id    text collate "C" not null,
  -- As they came, and were found good.
  parameters   jsonb not null,
  -- SHA-256 of the cookie of the browser that brought it; a request goes on in that browser alone.
  browser_hash bytea,
  -- What its user has said of it: {userId, decision, scopes}.
  consent      jsonb,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  issued_at    timestamptz not null default clock_timestamp(),
  constraint authorization_requests_pkey primary key (org_id, request_hash),
  constraint authorization_requests_kind_check check (kind in ('INTERACTION', 'PUSHED')),
  constraint authorization_requests_client_id_fkey foreign key (org_id, client_id) references apps (org_id, id)
    on delete cascade
);
create index authorization_requests_client_id_idx on authorization_requests (org_id, client_id);
create index authorization_requests_browser_hash_idx on authorization_requests (org_id, browser_hash)
  where browser_hash is not null;
create index authorization_requests_expires_at_idx on authorization_requests (expires_at);

-- Kept behind their use until they expire, so that a second use is known for what it is.
create table authorization_codes (
  org_id              text collate "C" not null,
  code_hash           bytea not null,
  server_id           text collate "C" not null,
  client_id           text collate "C" not null,
  user_id             text collate "C" not null,
  -- `trs...`; null where the user has no session.
  session_external_id text collate "C",
  -- As the request gave it; null: it gave none.
  redirect_uri        text,
  -- As they are on the wire.
  scopes              jsonb not null,
  nonce               text,
  -- Of S256; null: none was given.
  code_challenge      text,
  -- Thumbprint of the key that the code is bound to (RFC 9449 10).
  dpop_jkt            text,
  auth_time           timestamptz not null,
  amr                 jsonb not null,
  -- What else the tokens will say: {acr, claims ...}.
  details             jsonb not null,
  created_at          timestamptz not null,
  expires_at          timestamptz not null,
  issued_at           timestamptz not null default clock_timestamp(),
  -- When it was redeemed, and what for: a second use voids these.
  used_at             timestamptz,
  refresh_token_id    text collate "C",
  access_jti_hash     bytea,
  constraint authorization_codes_pkey primary key (org_id, code_hash),
  constraint authorization_codes_client_id_fkey foreign key (org_id, client_id) references apps (org_id, id)
    on delete cascade,
  constraint authorization_codes_user_id_fkey foreign key (org_id, user_id) references users (org_id, id)
    on delete cascade
);
create index authorization_codes_client_id_idx on authorization_codes (org_id, client_id);
create index authorization_codes_user_id_idx on authorization_codes (org_id, user_id);
create index authorization_codes_expires_at_idx on authorization_codes (expires_at);

-- One row for a token and all that it is rotated into. Its text is derived from the row and the master key; the row
-- knows which generation is good.
create table refresh_tokens (
  org_id              text collate "C" not null,
  id                  text collate "C" not null,
  server_id           text collate "C" not null,
  client_id           text collate "C" not null,
  user_id             text collate "C" not null,
  session_external_id text collate "C",
  scopes              jsonb not null,
  -- Grant by which it was asked for first: policies judge that one.
  grant_type          text collate "C" not null,
  generation          integer not null default 1,
  rotated_at          timestamptz,
  dpop_jkt            text,
  nonce               text,
  auth_time           timestamptz not null,
  amr                 jsonb not null,
  details             jsonb not null,
  created_at          timestamptz not null,
  last_updated_at     timestamptz not null,
  -- Unused until then it is over.
  idle_expires_at     timestamptz not null,
  -- Null: it may live for ever.
  expires_at          timestamptz,
  issued_at           timestamptz not null default clock_timestamp(),
  constraint refresh_tokens_pkey primary key (org_id, id),
  constraint refresh_tokens_generation_check check (generation > 0),
  constraint refresh_tokens_client_id_fkey foreign key (org_id, client_id) references apps (org_id, id)
    on delete cascade,
  constraint refresh_tokens_user_id_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade
);
create index refresh_tokens_client_id_idx on refresh_tokens (org_id, client_id, id);
create index refresh_tokens_user_id_idx on refresh_tokens (org_id, user_id, client_id, id);
create index refresh_tokens_server_id_idx on refresh_tokens (org_id, server_id, client_id, id);
-- A btree, though each use writes it: the sweep asks every minute, and uses leave no order that a BRIN could serve.
create index refresh_tokens_idle_expires_at_idx on refresh_tokens (idle_expires_at);

-- What holds but for its time: user, app and server are live, it was issued after all of them were voided the last
-- time, and the user has the app (app_is_assigned). With what lists show of them.
create view live_refresh_tokens as
  select t.*, u.login, u.profile as user_profile, a.label as client_label, v.name as server_name,
    coalesce(v.is_default, false) as is_default_server
  from refresh_tokens t
  join users u on u.org_id = t.org_id and u.id = t.user_id
  join apps a on a.org_id = t.org_id and a.id = t.client_id
  left join authorization_servers v on v.org_id = t.org_id and v.id = t.server_id
  -- Lateral with a limit: asked of each row by keys, never by a hash of all assignments.
  cross join lateral (
    select where coalesce(a.document -> 'settings' ->> 'implicitAssignment' = 'true', false)
    union all select from app_users d
    where d.org_id = t.org_id and d.app_id = t.client_id and d.user_id = t.user_id and d.scope = 'USER'
    union all select from group_members m join app_groups g on g.org_id = m.org_id and g.group_id = m.group_id
    where m.org_id = t.org_id and m.user_id = t.user_id and g.app_id = t.client_id
    union all select from groups e join app_groups g on g.org_id = e.org_id and g.group_id = e.id
    where e.org_id = t.org_id and e.type = 'BUILT_IN' and g.app_id = t.client_id
    limit 1
  ) assigned
  where u.status not in ('STAGED', 'SUSPENDED', 'DEPROVISIONED') and a.status = 'ACTIVE'
    and (t.server_id = '' or v.status = 'ACTIVE')
    and t.issued_at > greatest(u.valid_after, a.valid_after, v.valid_after);

-- When a user or an app was deactivated the last time, by the database's clock: consents from before are over. Not
-- `valid_after`, which a new password raises too.
alter table users add column last_deactivated_at timestamptz;
alter table apps add column last_deactivated_at timestamptz;

-- What users said of apps' access, scope by scope. A row outlives its revocation, for `valid_after`.
create table user_consents (
  org_id          text collate "C" not null,
  id              text collate "C" not null,
  user_id         text collate "C" not null,
  client_id       text collate "C" not null,
  server_id       text collate "C" not null,
  scope_id        text collate "C" not null,
  -- LEFT_OUT: the user did not give what was optional, and is not asked again.
  decision        text collate "C" not null,
  -- END_USER or ADMIN.
  source          text collate "C" not null,
  created_by      text collate "C" not null,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  issued_at       timestamptz not null default clock_timestamp(),
  -- Tokens with this scope that were issued before are dead; raised when the user takes it back. Null: never.
  valid_after     timestamptz,
  constraint user_consents_pkey primary key (org_id, id),
  constraint user_consents_decision_check check (decision in ('GRANTED', 'LEFT_OUT', 'REVOKED')),
  constraint user_consents_scope_key unique (org_id, user_id, client_id, server_id, scope_id),
  constraint user_consents_source_check check (source in ('END_USER', 'ADMIN')),
  constraint user_consents_user_id_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade,
  constraint user_consents_client_id_fkey foreign key (org_id, client_id) references apps (org_id, id)
    on delete cascade,
  constraint user_consents_scope_id_fkey foreign key (org_id, server_id, scope_id)
    references authorization_server_scopes (org_id, server_id, id) on delete cascade
);
create index user_consents_client_id_idx on user_consents (org_id, client_id, id);
create index user_consents_scope_id_idx on user_consents (org_id, server_id, scope_id);

-- What holds: not taken back, and none of those it is about was deactivated since, or is another by the same name.
create view live_consents as
  select c.org_id, c.id, c.user_id, c.client_id, c.server_id, c.scope_id, c.decision, c.source, c.created_by,
    c.created_at, c.last_updated_at, s.name as scope_name, s.display_name as scope_display_name,
    s.description as scope_description, u.login, u.profile as user_profile, a.label as client_label,
    v.name as server_name, v.is_default as is_default_server
  from user_consents c
  join users u on u.org_id = c.org_id and u.id = c.user_id
  join apps a on a.org_id = c.org_id and a.id = c.client_id
  join authorization_servers v on v.org_id = c.org_id and v.id = c.server_id
  join authorization_server_scopes s on s.org_id = c.org_id and s.server_id = c.server_id and s.id = c.scope_id
  where c.decision <> 'REVOKED'
    and c.issued_at > greatest(u.last_deactivated_at, a.last_deactivated_at, v.valid_after, s.valid_after);

-- Which apps a session has signed its user in to: they are told when it ends.
create table session_clients (
  org_id              text collate "C" not null,
  session_external_id text collate "C" not null,
  client_id           text collate "C" not null,
  server_id           text collate "C" not null,
  created_at          timestamptz not null,
  constraint session_clients_pkey primary key (org_id, session_external_id, client_id, server_id),
  constraint session_clients_session_fkey foreign key (org_id, session_external_id)
    references sessions (org_id, external_id) on delete cascade,
  constraint session_clients_client_id_fkey foreign key (org_id, client_id) references apps (org_id, id)
    on delete cascade
);
create index session_clients_client_id_idx on session_clients (org_id, client_id);
