-- Apps and the OAuth clients they are: a client's id is its app's.
create table apps (
  org_id           text collate "C" not null,
  id               text collate "C" not null,
  label            text collate "C" not null,
  status           text collate "C" not null,
  sign_on_mode     text collate "C" not null,
  -- web, native, browser or service.
  application_type text collate "C" not null,
  -- What clients stored of it, in neutral spelling; keys and secrets stand in tables of their own.
  document         jsonb not null,
  created_at       timestamptz not null,
  last_updated_at  timestamptz not null,
  -- Codes and tokens issued before this are void.
  valid_after      timestamptz not null default clock_timestamp(),
  revision         bigint not null default 1,
  constraint apps_pkey primary key (org_id, id),
  constraint apps_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint apps_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);
create index apps_label_idx on apps (org_id, label, id);

-- Public keys by which a client proves itself.
create table app_keys (
  org_id          text collate "C" not null,
  app_id          text collate "C" not null,
  id              text collate "C" not null,
  -- Null: the client registered the key without one.
  kid             text collate "C",
  jwk             jsonb not null,
  status          text collate "C" not null,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  constraint app_keys_pkey primary key (org_id, app_id, id),
  constraint app_keys_kid_key unique (org_id, app_id, kid),
  constraint app_keys_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint app_keys_app_id_fkey foreign key (org_id, app_id) references apps (org_id, id) on delete cascade
);

-- The key set behind a client's jwks_uri as last read; a key it no longer has is good no longer than this is fresh.
create table app_key_sets (
  org_id     text collate "C" not null,
  app_id     text collate "C" not null,
  uri        text not null,
  keys       jsonb not null,
  fetched_at timestamptz not null,
  constraint app_key_sets_pkey primary key (org_id, app_id),
  constraint app_key_sets_app_id_fkey foreign key (org_id, app_id) references apps (org_id, id) on delete cascade
);

create table app_secrets (
  org_id          text collate "C" not null,
  app_id          text collate "C" not null,
  id              text collate "C" not null,
  sealed_secret   bytea not null,
  -- SHA-256 of the secret, by which a client is authenticated.
  secret_hash     bytea not null,
  status          text collate "C" not null,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  constraint app_secrets_pkey primary key (org_id, app_id, id),
  constraint app_secrets_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint app_secrets_app_id_fkey foreign key (org_id, app_id) references apps (org_id, id) on delete cascade
);

-- API scopes (neutral: users.read) that an administrator granted to a client.
create table app_grants (
  org_id          text collate "C" not null,
  app_id          text collate "C" not null,
  id              text collate "C" not null,
  scope           text collate "C" not null,
  created_at      timestamptz not null,
  created_by      text not null,
  created_by_type text not null,
  last_updated_at timestamptz not null,
  constraint app_grants_pkey primary key (org_id, app_id, id),
  constraint app_grants_scope_key unique (org_id, app_id, scope),
  constraint app_grants_app_id_fkey foreign key (org_id, app_id) references apps (org_id, id) on delete cascade
);

create table client_role_assignments (
  org_id          text collate "C" not null,
  client_id       text collate "C" not null,
  id              text collate "C" not null,
  role_type       text collate "C" not null,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  constraint client_role_assignments_pkey primary key (org_id, client_id, id),
  constraint client_role_assignments_role_type_key unique (org_id, client_id, role_type),
  constraint client_role_assignments_client_id_fkey foreign key (org_id, client_id)
    references apps (org_id, id) on delete cascade
);
