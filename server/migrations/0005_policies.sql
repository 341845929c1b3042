-- Network zones: where requests come from, for policies and for the edge's blocklist.
create table network_zones (
  org_id          text collate "C" not null,
  id              text collate "C" not null,
  type            text collate "C" not null,
  name            text collate "C" not null,
  status          text collate "C" not null,
  usage           text collate "C" not null,
  system          boolean not null default false,
  -- What its type asks for: gateways, proxies, locations, asns ...
  document        jsonb not null,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  constraint network_zones_pkey primary key (org_id, id),
  constraint network_zones_name_key unique (org_id, name),
  constraint network_zones_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint network_zones_usage_check check (usage in ('POLICY', 'BLOCKLIST')),
  constraint network_zones_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

create table identity_providers (
  org_id          text collate "C" not null,
  id              text collate "C" not null,
  type            text collate "C" not null,
  name            text collate "C" not null,
  status          text collate "C" not null,
  -- protocol, policy, properties and the rest in neutral spelling, without secrets.
  document        jsonb not null,
  -- The client secret of an OIDC or social provider.
  sealed_secret   bytea,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  constraint identity_providers_pkey primary key (org_id, id),
  constraint identity_providers_name_key unique (org_id, name),
  constraint identity_providers_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint identity_providers_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

-- Certificates of identity providers, by which their assertions are verified.
create table identity_provider_keys (
  org_id          text collate "C" not null,
  kid             text collate "C" not null,
  jwk             jsonb not null,
  expires_at      timestamptz not null,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  constraint identity_provider_keys_pkey primary key (org_id, kid),
  constraint identity_provider_keys_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

create table policies (
  org_id          text collate "C" not null,
  id              text collate "C" not null,
  -- Neutral: SIGN_ON, IDP_DISCOVERY; the edge writes the namespace word.
  type            text collate "C" not null,
  name            text collate "C" not null,
  description     text,
  status          text collate "C" not null,
  -- 1 is asked first; the default policy of a type is always the last.
  priority        integer not null,
  system          boolean not null,
  conditions      jsonb,
  settings        jsonb,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  constraint policies_pkey primary key (org_id, id),
  constraint policies_name_key unique (org_id, type, name),
  constraint policies_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint policies_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);
create unique index policies_default_key on policies (org_id, type) where system;

create table policy_rules (
  org_id          text collate "C" not null,
  policy_id       text collate "C" not null,
  id              text collate "C" not null,
  -- SIGN_ON, IDP_DISCOVERY.
  type            text collate "C" not null,
  name            text collate "C" not null,
  status          text collate "C" not null,
  -- 1 is asked first; the system rule is always the last.
  priority        integer not null,
  system          boolean not null,
  conditions      jsonb,
  actions         jsonb not null,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  constraint policy_rules_pkey primary key (org_id, policy_id, id),
  constraint policy_rules_name_key unique (org_id, policy_id, name),
  constraint policy_rules_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint policy_rules_policy_id_fkey foreign key (org_id, policy_id)
    references policies (org_id, id) on delete cascade
);
create unique index policy_rules_default_key on policy_rules (org_id, policy_id) where system;
