-- Custom authorization servers. The org's own server is no row: it is there as long as the org is.
create table authorization_servers (
  org_id          text collate "C" not null,
  id              text collate "C" not null,
  name            text collate "C" not null,
  description     text not null,
  -- Exactly one today; a list on the wire.
  audiences       jsonb not null,
  issuer_mode     text collate "C" not null,
  status          text collate "C" not null,
  -- The one that every org has from the start: `default` in a path means it.
  is_default      boolean not null default false,
  rotation_mode   text collate "C" not null,
  -- Tokens that were issued before are dead; raised when the server is deactivated.
  valid_after     timestamptz not null default clock_timestamp(),
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  revision        bigint not null default 1,
  constraint authorization_servers_pkey primary key (org_id, id),
  constraint authorization_servers_name_key unique (org_id, name),
  constraint authorization_servers_issuer_mode_check check (issuer_mode in ('ORG_URL', 'CUSTOM_URL', 'DYNAMIC')),
  constraint authorization_servers_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint authorization_servers_rotation_mode_check check (rotation_mode in ('AUTO', 'MANUAL')),
  constraint authorization_servers_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);
create unique index authorization_servers_default_key on authorization_servers (org_id) where is_default;

create table authorization_server_scopes (
  org_id           text collate "C" not null,
  server_id        text collate "C" not null,
  id               text collate "C" not null,
  name             text collate "C" not null,
  display_name     text,
  description      text,
  is_system        boolean not null default false,
  metadata_publish text collate "C" not null,
  consent          text collate "C" not null,
  is_optional      boolean not null default false,
  -- Given to a request that names no scope.
  is_default       boolean not null default false,
  created_at       timestamptz not null,
  last_updated_at  timestamptz not null,
  revision         bigint not null default 1,
  constraint authorization_server_scopes_pkey primary key (org_id, server_id, id),
  constraint authorization_server_scopes_name_key unique (org_id, server_id, name),
  constraint authorization_server_scopes_publish_check check (metadata_publish in ('ALL_CLIENTS', 'NO_CLIENTS')),
  constraint authorization_server_scopes_consent_check check (consent in ('IMPLICIT', 'REQUIRED', 'FLEXIBLE')),
  constraint authorization_server_scopes_server_id_fkey foreign key (org_id, server_id)
    references authorization_servers (org_id, id) on delete cascade
);

create table authorization_server_claims (
  org_id            text collate "C" not null,
  server_id         text collate "C" not null,
  id                text collate "C" not null,
  name              text collate "C" not null,
  status            text collate "C" not null,
  -- RESOURCE: in access tokens; IDENTITY: in ID tokens.
  claim_type        text collate "C" not null,
  value_type        text collate "C" not null,
  -- An expression, or what names of groups are compared with; null: the service knows it by the claim's name.
  value             text,
  group_filter_type text collate "C",
  -- Names of scopes, one of which must be granted; none: always.
  scopes            jsonb not null,
  always_include    boolean not null,
  is_system         boolean not null default false,
  created_at        timestamptz not null,
  last_updated_at   timestamptz not null,
  revision          bigint not null default 1,
  constraint authorization_server_claims_pkey primary key (org_id, server_id, id),
  constraint authorization_server_claims_name_key unique (org_id, server_id, claim_type, name),
  constraint authorization_server_claims_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint authorization_server_claims_claim_type_check check (claim_type in ('RESOURCE', 'IDENTITY')),
  constraint authorization_server_claims_value_type_check check (value_type in ('EXPRESSION', 'GROUPS', 'SYSTEM')),
  constraint authorization_server_claims_filter_type_check check (
    group_filter_type in ('STARTS_WITH', 'EQUALS', 'CONTAINS', 'REGEX')
  ),
  constraint authorization_server_claims_server_id_fkey foreign key (org_id, server_id)
    references authorization_servers (org_id, id) on delete cascade
);

create table authorization_server_policies (
  org_id          text collate "C" not null,
  server_id       text collate "C" not null,
  id              text collate "C" not null,
  name            text collate "C" not null,
  description     text,
  -- 1 is asked first; without gaps among the policies of the server.
  priority        integer not null,
  status          text collate "C" not null,
  is_system       boolean not null default false,
  -- Ids of clients, or ALL_CLIENTS.
  clients         jsonb not null,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  revision        bigint not null default 1,
  constraint authorization_server_policies_pkey primary key (org_id, server_id, id),
  constraint authorization_server_policies_name_key unique (org_id, server_id, name),
  constraint authorization_server_policies_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint authorization_server_policies_server_id_fkey foreign key (org_id, server_id)
    references authorization_servers (org_id, id) on delete cascade
);
create index authorization_server_policies_priority_idx on authorization_server_policies (org_id, server_id, priority);

create table authorization_server_rules (
  org_id                         text collate "C" not null,
  server_id                      text collate "C" not null,
  policy_id                      text collate "C" not null,
  id                             text collate "C" not null,
  name                           text collate "C" not null,
  -- 1 is asked first; without gaps among the rules of the policy.
  priority                       integer not null,
  status                         text collate "C" not null,
  is_system                      boolean not null default false,
  -- {people: {users: {include, exclude}, groups: {include, exclude}}, grantTypes: {include}, scopes: {include}}
  conditions                     jsonb not null,
  access_token_lifetime_minutes  integer not null,
  -- 0: without end.
  refresh_token_lifetime_minutes integer not null,
  refresh_token_window_minutes   integer not null,
  created_at                     timestamptz not null,
  last_updated_at                timestamptz not null,
  revision                       bigint not null default 1,
  constraint authorization_server_rules_pkey primary key (org_id, server_id, policy_id, id),
  constraint authorization_server_rules_name_key unique (org_id, server_id, policy_id, name),
  constraint authorization_server_rules_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint authorization_server_rules_policy_id_fkey foreign key (org_id, server_id, policy_id)
    references authorization_server_policies (org_id, server_id, id) on delete cascade
);
create index authorization_server_rules_priority_idx
  on authorization_server_rules (org_id, server_id, policy_id, priority);

-- Orgs made before there were these servers get the default one, as new orgs do.
create function pg_temp.new_id(prefix text, org_id text) returns text language sql volatile as $$
  select prefix || substr(translate(encode(sha256(gen_random_uuid()::text::bytea), 'base64'), '+/=', 'xyz'), 1, 14)
    || right(org_id, 3)
$$;

insert into authorization_servers (org_id, id, name, description, audiences, issuer_mode, status, is_default,
  rotation_mode, created_at, last_updated_at)
select o.id, pg_temp.new_id('aus', o.id), 'default', 'Default authorization server of the org', '["api://default"]',
  'DYNAMIC', 'ACTIVE', true, 'AUTO', date_trunc('second', now()), date_trunc('second', now())
from orgs o;

insert into authorization_server_scopes (org_id, server_id, id, name, display_name, description, is_system,
  metadata_publish, consent, created_at, last_updated_at)
select s.org_id, s.id, pg_temp.new_id('scp', s.org_id), d.name, d.display_name, d.description, true, 'ALL_CLIENTS',
  'IMPLICIT', s.created_at, s.created_at
from authorization_servers s cross join (values
  ('openid', 'Sign you in', 'Asks for an ID token: who signed in, and when'),
  ('profile', 'See your profile', 'Names, picture, language, time zone and the like'),
  ('email', 'See your email address', 'The email address, and whether it was verified'),
  ('address', 'See your postal address', 'The postal address'),
  ('phone', 'See your phone number', 'The phone number'),
  ('offline_access', 'Stay signed in', 'Asks for a refresh token: access while nobody is at the app'),
  ('device_sso', 'Sign you in to other apps of this device', 'Asks for a secret that apps of one device share')
) as d (name, display_name, description);

insert into authorization_server_claims (org_id, server_id, id, name, status, claim_type, value_type, value, scopes,
  always_include, is_system, created_at, last_updated_at)
select s.org_id, s.id, pg_temp.new_id('ocl', s.org_id), d.name, 'ACTIVE', d.claim_type, 'SYSTEM', d.value,
  d.scopes::jsonb, d.claim_type = 'RESOURCE', true, s.created_at, s.created_at
from authorization_servers s cross join (values
  ('sub', 'RESOURCE', '(appuser != null) ? appuser.userName : app.clientId', '[]'),
  ('name', 'IDENTITY', null, '["profile"]'),
  ('family_name', 'IDENTITY', null, '["profile"]'),
  ('given_name', 'IDENTITY', null, '["profile"]'),
  ('middle_name', 'IDENTITY', null, '["profile"]'),
  ('nickname', 'IDENTITY', null, '["profile"]'),
  ('preferred_username', 'IDENTITY', null, '["profile"]'),
  ('profile', 'IDENTITY', null, '["profile"]'),
  ('picture', 'IDENTITY', null, '["profile"]'),
  ('website', 'IDENTITY', null, '["profile"]'),
  ('gender', 'IDENTITY', null, '["profile"]'),
  ('birthdate', 'IDENTITY', null, '["profile"]'),
  ('zoneinfo', 'IDENTITY', null, '["profile"]'),
  ('locale', 'IDENTITY', null, '["profile"]'),
  ('updated_at', 'IDENTITY', null, '["profile"]'),
  ('email', 'IDENTITY', null, '["email"]'),
  ('email_verified', 'IDENTITY', null, '["email"]'),
  ('address', 'IDENTITY', null, '["address"]'),
  ('phone_number', 'IDENTITY', null, '["phone"]')
) as d (name, claim_type, value, scopes);

with made as (
  insert into authorization_server_policies (org_id, server_id, id, name, description, priority, status, clients,
    created_at, last_updated_at)
  select s.org_id, s.id, pg_temp.new_id('00p', s.org_id), 'Default Policy', 'For all clients', 1, 'ACTIVE',
    '["ALL_CLIENTS"]', s.created_at, s.created_at
  from authorization_servers s
  returning org_id, server_id, id, created_at
)
insert into authorization_server_rules (org_id, server_id, policy_id, id, name, priority, status, conditions,
  access_token_lifetime_minutes, refresh_token_lifetime_minutes, refresh_token_window_minutes, created_at,
  last_updated_at)
select m.org_id, m.server_id, m.id, pg_temp.new_id('0pr', m.org_id), 'Default Policy Rule', 1, 'ACTIVE',
  '{"people": {"users": {"include": [], "exclude": []}, "groups": {"include": ["EVERYONE"], "exclude": []}},
    "grantTypes": {"include": ["authorization_code", "implicit", "client_credentials", "password"]},
    "scopes": {"include": ["*"]}}',
  60, 0, 10080, m.created_at, m.created_at
from made m;

drop function pg_temp.new_id;
