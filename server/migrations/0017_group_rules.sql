create table group_rules (
  org_id             text collate "C" not null,
  id                 text collate "C" not null,
  name               text collate "C" not null,
  -- Normal form of the name, for `search` (kernel/text.ts).
  name_key           text collate "C" not null,
  status             text collate "C" not null,
  expression         text not null,
  -- In the order they were given; what is deleted stays named here, and the rule is then INVALID.
  target_group_ids   text[] not null,
  excluded_group_ids text[] not null default '{}',
  -- The pass over all users by which the rule holds for everyone; null: it was never activated.
  evaluated_by       bigint,
  created_at         timestamptz not null,
  last_updated_at    timestamptz not null,
  revision           bigint not null default 1,
  constraint group_rules_pkey primary key (org_id, id),
  constraint group_rules_name_key unique (org_id, name),
  constraint group_rules_status_check check (status in ('ACTIVE', 'INACTIVE', 'INVALID')),
  constraint group_rules_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

create table group_rule_exclusions (
  org_id  text collate "C" not null,
  rule_id text collate "C" not null,
  user_id text collate "C" not null,
  constraint group_rule_exclusions_pkey primary key (org_id, rule_id, user_id),
  constraint group_rule_exclusions_rule_id_fkey foreign key (org_id, rule_id)
    references group_rules (org_id, id) on delete cascade,
  constraint group_rule_exclusions_user_id_fkey foreign key (org_id, user_id)
    references users (org_id, id) on delete cascade
);
create index group_rule_exclusions_user_id_idx on group_rule_exclusions (org_id, user_id);

-- Which rule gives which membership. A rule's rows may outlive it while a job lets go of them (ADR 0027).
create table group_rule_members (
  org_id   text collate "C" not null,
  rule_id  text collate "C" not null,
  group_id text collate "C" not null,
  user_id  text collate "C" not null,
  -- The group first: a rule's rows are found by its groups, those of a membership by group and user.
  constraint group_rule_members_pkey primary key (org_id, group_id, user_id, rule_id),
  constraint group_rule_members_group_id_fkey foreign key (org_id, group_id)
    references groups (org_id, id) on delete cascade,
  constraint group_rule_members_user_id_fkey foreign key (org_id, user_id)
    references users (org_id, id) on delete cascade
);
create index group_rule_members_user_id_idx on group_rule_members (org_id, user_id);

-- One row for each org that has had a rule: which rules hold now, and how far all users have been looked at.
create table group_rule_states (
  org_id       text collate "C" not null,
  -- Another one with every change of what active rules say: compiled rules are kept under it.
  version      uuid not null,
  -- Passes over all users: the last one asked for, the one under way, the last one that came to its end.
  requested    bigint not null default 0,
  running      bigint,
  completed    bigint not null default 0,
  -- Of the pass under way, or else of the last one: users up to this id have been looked at.
  cursor       text collate "C",
  users_total    bigint not null default 0,
  users_examined bigint not null default 0,
  added          bigint not null default 0,
  removed        bigint not null default 0,
  -- Evaluations that cost more than one may.
  failed         bigint not null default 0,
  started_at   timestamptz,
  finished_at  timestamptz,
  constraint group_rule_states_pkey primary key (org_id),
  constraint group_rule_states_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);
