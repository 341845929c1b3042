-- Requests whose client polls the token endpoint until their user, elsewhere, has answered: device authorization
-- (RFC 8628). By the SHA-256 of the secret that the client polls with.
create table polled_requests (
  org_id              text collate "C" not null,
  request_hash        bytea not null,
  kind                text collate "C" not null,
  -- '': the org's own server, which is no row.
  server_id           text collate "C" not null,
  client_id           text collate "C" not null,
  -- MAC of what the user types, under a key of the master key's: codes are short.
  user_code_hash      bytea,
  -- As they are on the wire; once it is approved, those that the user allowed.
  scopes              jsonb not null,
  -- Thumbprint of the key that the request named (RFC 9449 10).
  dpop_jkt            text,
  status              text collate "C" not null,
  interval_seconds    integer not null,
  last_polled_at      timestamptz,
  -- Whoever approved it, and by which session.
  user_id             text collate "C",
  session_external_id text collate "C",
  auth_time           timestamptz,
  amr                 jsonb,
  details             jsonb,
  created_at          timestamptz not null,
  expires_at          timestamptz not null,
  issued_at           timestamptz not null default clock_timestamp(),
  -- By the database's clock: what came to an end since gives no token any more.
  approved_at         timestamptz,
  constraint polled_requests_pkey primary key (org_id, request_hash),
  constraint polled_requests_kind_check check (kind in ('DEVICE')),
  constraint polled_requests_status_check check (status in ('PENDING', 'APPROVED', 'DENIED')),
  constraint polled_requests_approved_check check (status <> 'APPROVED' or (user_id is not null
    and approved_at is not null and auth_time is not null and amr is not null and details is not null)),
  constraint polled_requests_user_code_key unique (org_id, user_code_hash),
  constraint polled_requests_client_id_fkey foreign key (org_id, client_id) references apps (org_id, id)
    on delete cascade,
  constraint polled_requests_user_id_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade
);
create index polled_requests_client_id_idx on polled_requests (org_id, client_id);
create index polled_requests_user_id_idx on polled_requests (org_id, user_id) where user_id is not null;
create index polled_requests_expires_at_idx on polled_requests (expires_at);

-- A browser whose user is about to answer one of them goes through sign-in and consent like any other.
alter table authorization_requests drop constraint authorization_requests_kind_check;
alter table authorization_requests
  add constraint authorization_requests_kind_check check (kind in ('INTERACTION', 'PUSHED', 'DEVICE'));
