-- What entity tags of single resources are made of. Raised by every change that shows; use, such as `last_used_at`, does
-- not show. Ids of these rows are random, so that none is made again with a revision that an earlier one had.
alter table orgs add column revision bigint not null default 1;
alter table trusted_origins add column revision bigint not null default 1;
alter table api_tokens add column revision bigint not null default 1;
alter table app_keys add column revision bigint not null default 1;
alter table app_secrets add column revision bigint not null default 1;
alter table network_zones add column revision bigint not null default 1;
alter table identity_providers add column revision bigint not null default 1;
alter table identity_provider_keys add column revision bigint not null default 1;
alter table policies add column revision bigint not null default 1;
alter table policy_rules add column revision bigint not null default 1;
alter table event_hooks add column revision bigint not null default 1;
alter table log_streams add column revision bigint not null default 1;

-- Assignments that are made anew may have an id that they had before, and must not bear its entity tags.
alter table user_role_assignments
  add column revision bigint not null default (extract(epoch from clock_timestamp()) * 1000000)::bigint;
alter table client_role_assignments
  add column revision bigint not null default (extract(epoch from clock_timestamp()) * 1000000)::bigint;
