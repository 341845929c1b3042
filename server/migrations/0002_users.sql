create table user_types (
  org_id          text collate "C" not null,
  id              text collate "C" not null,
  schema_id       text collate "C" not null,
  name            text collate "C" not null,
  display_name    text not null,
  description     text,
  is_default      boolean not null,
  -- Base properties whose definition differs from the built-in one: {"firstName": {"required": false}, ...}.
  base_overrides  jsonb not null default '{}',
  schema_version  integer not null default 1,
  created_at      timestamptz not null,
  created_by      text not null,
  last_updated_at timestamptz not null,
  last_updated_by text not null,
  constraint user_types_pkey primary key (org_id, id),
  constraint user_types_schema_id_key unique (org_id, schema_id),
  constraint user_types_name_key unique (org_id, name),
  constraint user_types_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

-- Only what has meaning to others: `revision` rises with these columns alone, and entity tags come from it.
create table users (
  org_id                   text collate "C" not null,
  id                       text collate "C" not null,
  type_id                  text collate "C" not null,
  status                   text collate "C" not null,
  status_before_suspension text,
  login                    text collate "C" not null,
  -- Normal form of the login: case, width and diacritics do not make another login (kernel/text.ts).
  login_key                text collate "C" not null,
  -- Normal form of what stands before `@`, by which an unambiguous short login is found.
  short_login_key          text collate "C" not null,
  normal_form_version      integer not null,
  profile                  jsonb not null,
  -- For `co` alone. Columns instead of expressions in the index, so that an update which leaves them alone touches no
  -- index at all (HOT): one on an expression is touched by every change of the profile.
  email                    text collate "C" generated always as (profile ->> 'email') stored,
  first_name               text collate "C" generated always as (profile ->> 'firstName') stored,
  last_name                text collate "C" generated always as (profile ->> 'lastName') stored,
  provider_type            text not null,
  provider_name            text not null,
  has_password             boolean not null,
  recovery_question        text,
  created_at               timestamptz not null,
  activated_at             timestamptz,
  status_changed_at        timestamptz,
  last_updated_at          timestamptz not null,
  password_changed_at      timestamptz,
  -- Sessions, codes and tokens issued before this are void.
  valid_after              timestamptz not null default clock_timestamp(),
  revision                 bigint not null default 1,
  constraint users_pkey primary key (org_id, id),
  constraint users_login_key unique (org_id, login_key),
  constraint users_status_check check (status in
    ('STAGED', 'PROVISIONED', 'ACTIVE', 'RECOVERY', 'LOCKED_OUT', 'PASSWORD_EXPIRED', 'SUSPENDED', 'DEPROVISIONED')),
  constraint users_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade,
  constraint users_type_id_fkey foreign key (org_id, type_id) references user_types (org_id, id)
) with (fillfactor = 85);
create index users_short_login_idx on users (org_id, short_login_key);
-- The plain list leaves deprovisioned users out and must not walk over them.
create index users_listed_idx on users (org_id, id) where status <> 'DEPROVISIONED';

-- Volatile state, apart so that a sign-in neither moves the entity tag nor rewrites the profile.
create table user_sign_in (
  org_id                text collate "C" not null,
  user_id               text collate "C" not null,
  password              jsonb,
  recovery_answer       jsonb,
  last_login_at         timestamptz,
  failed_attempts       integer not null default 0,
  last_failed_at        timestamptz,
  locked_at             timestamptz,
  constraint user_sign_in_pkey primary key (org_id, user_id),
  constraint user_sign_in_user_id_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade
);

create table user_password_history (
  org_id     text collate "C" not null,
  user_id    text collate "C" not null,
  set_at     timestamptz not null,
  ordinal    bigint not null,
  password   jsonb not null,
  constraint user_password_history_pkey primary key (org_id, user_id, ordinal),
  constraint user_password_history_user_id_fkey foreign key (org_id, user_id)
    references users (org_id, id) on delete cascade
);

-- One-time tokens of activation and recovery mails; only their SHA-256 is stored.
create table user_recovery_tokens (
  org_id     text collate "C" not null,
  token_hash bytea not null,
  user_id    text collate "C" not null,
  kind       text collate "C" not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint user_recovery_tokens_pkey primary key (org_id, token_hash),
  constraint user_recovery_tokens_kind_check check (kind in ('ACTIVATION', 'PASSWORD_RESET')),
  constraint user_recovery_tokens_user_id_fkey foreign key (org_id, user_id)
    references users (org_id, id) on delete cascade
);
create index user_recovery_tokens_user_id_idx on user_recovery_tokens (org_id, user_id);

-- The search index: one row per attribute value, in comparison order. Written by the users store in the same statement.
create table user_attribute_values (
  org_id       text collate "C" not null,
  attribute_id integer not null,
  value_key    text collate "C" not null,
  user_id      text collate "C" not null,
  constraint user_attribute_values_pkey primary key (org_id, attribute_id, value_key, user_id)
);
create index user_attribute_values_user_id_idx on user_attribute_values (org_id, user_id, attribute_id);

create table api_tokens (
  org_id          text collate "C" not null,
  id              text collate "C" not null,
  user_id         text collate "C" not null,
  name            text not null,
  client_name     text not null,
  token_hash      bytea not null,
  network         jsonb not null default '{"connection": "ANYWHERE"}',
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  last_used_at    timestamptz not null,
  constraint api_tokens_pkey primary key (org_id, id),
  constraint api_tokens_token_hash_key unique (org_id, token_hash),
  constraint api_tokens_user_id_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade
);
create index api_tokens_user_id_idx on api_tokens (org_id, user_id);

create table user_role_assignments (
  org_id          text collate "C" not null,
  user_id         text collate "C" not null,
  id              text collate "C" not null,
  role_type       text collate "C" not null,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  constraint user_role_assignments_pkey primary key (org_id, user_id, id),
  constraint user_role_assignments_role_type_key unique (org_id, user_id, role_type),
  constraint user_role_assignments_user_id_fkey foreign key (org_id, user_id)
    references users (org_id, id) on delete cascade
);
create index user_role_assignments_role_type_idx on user_role_assignments (org_id, role_type, user_id);

-- Mails wait here until a job has sent them; the text is sealed because it carries one-time tokens.
create table mail_outbox (
  org_id     text collate "C" not null,
  id         uuid not null,
  kind       text collate "C" not null,
  user_id    text collate "C",
  recipient  text collate "C" not null,
  subject    text not null,
  sealed_body bytea not null,
  created_at timestamptz not null,
  sent_at    timestamptz,
  constraint mail_outbox_pkey primary key (org_id, id),
  constraint mail_outbox_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);
create index mail_outbox_created_at_idx on mail_outbox (org_id, created_at, id);
-- How many mails an address had within the hour.
create index mail_outbox_recipient_idx on mail_outbox (org_id, recipient, created_at);

-- `co` in search: three characters or more, on the four attributes that allow it.
create extension if not exists pg_trgm;
-- Without a list of pending entries: merging it cost a create twice what the entries cost one by one, and every search
-- had to read it.
create index users_contains_idx on users using gin (
  login gin_trgm_ops,
  email gin_trgm_ops,
  first_name gin_trgm_ops,
  last_name gin_trgm_ops
) with (fastupdate = off);
