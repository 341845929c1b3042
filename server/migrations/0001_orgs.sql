-- What holds for the whole installation: the namespace word, the master key's check value, entity tag algorithms.
create table installation (
  name  text collate "C" not null,
  value text not null,
  constraint installation_pkey primary key (name)
);

-- Which versions serve now; contract steps of later migrations wait until the old ones are gone.
create table nodes (
  node_id text collate "C" not null,
  version text not null,
  seen_at timestamptz not null,
  constraint nodes_pkey primary key (node_id)
);

create table orgs (
  id              text collate "C" not null,
  subdomain       text collate "C" not null,
  status          text not null default 'ACTIVE',
  company_name    text not null,
  -- Contact data as the wire names it; none of it is ever searched.
  profile         jsonb not null default '{}',
  -- Per-org settings, typed in management/orgs/settings.ts; an absent key means the default.
  settings        jsonb not null default '{}',
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  constraint orgs_pkey primary key (id),
  constraint orgs_subdomain_key unique (subdomain),
  constraint orgs_status_check check (status in ('ACTIVE', 'INACTIVE')),
  -- `{subdomain}-admin` names no org: it is where clients wrongly look for one (specification 9.7).
  constraint orgs_subdomain_check check (subdomain ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' and subdomain !~ '-admin$')
);

-- Custom domains beside `{subdomain}.{base domain}`.
create table org_domains (
  org_id     text collate "C" not null,
  domain     text collate "C" not null,
  created_at timestamptz not null,
  constraint org_domains_pkey primary key (domain),
  constraint org_domains_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);
create index org_domains_org_id_idx on org_domains (org_id, domain);

-- Senders whose X-Forwarded-For an org believes; empty by default, loopback included.
create table org_trusted_proxies (
  org_id     text collate "C" not null,
  cidr       text collate "C" not null,
  created_at timestamptz not null,
  constraint org_trusted_proxies_pkey primary key (org_id, cidr),
  constraint org_trusted_proxies_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

create table trusted_origins (
  org_id          text collate "C" not null,
  id              text collate "C" not null,
  name            text collate "C" not null,
  origin          text collate "C" not null,
  scopes          jsonb not null,
  status          text not null,
  created_at      timestamptz not null,
  created_by      text not null,
  last_updated_at timestamptz not null,
  last_updated_by text not null,
  constraint trusted_origins_pkey primary key (org_id, id),
  constraint trusted_origins_name_key unique (org_id, name),
  constraint trusted_origins_origin_key unique (org_id, origin),
  constraint trusted_origins_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint trusted_origins_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

-- Merged counts of fixed one-minute windows. Unlogged: losing a minute of counts in a crash is cheaper than logging all.
create unlogged table rate_limit_counts (
  org_id       text collate "C" not null,
  window_start timestamptz not null,
  bucket       text collate "C" not null,
  key          text collate "C" not null,
  count        bigint not null,
  constraint rate_limit_counts_pkey primary key (org_id, window_start, bucket, key)
);

-- An answer is repeated for the same key and request; a different request under the same key is refused.
create table idempotency_keys (
  org_id       text collate "C" not null,
  key_hash     bytea not null,
  request_hash bytea not null,
  resource_id  text not null,
  status       integer not null,
  created_at   timestamptz not null,
  constraint idempotency_keys_pkey primary key (org_id, key_hash)
);
create index idempotency_keys_created_at_idx on idempotency_keys (org_id, created_at);

create sequence jobs_id_seq;
create table jobs (
  org_id     text collate "C" not null,
  id         bigint not null default nextval('jobs_id_seq'),
  kind       text collate "C" not null,
  payload    jsonb not null default '{}',
  dedupe_key text collate "C",
  run_at     timestamptz not null,
  lease_until timestamptz,
  attempts   integer not null default 0,
  last_error text,
  constraint jobs_pkey primary key (org_id, id),
  constraint jobs_dedupe_key unique (org_id, kind, dedupe_key)
);
create index jobs_run_at_idx on jobs (run_at);
