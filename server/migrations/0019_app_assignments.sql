-- Who has an app by an assignment of his own, and what is his own of those who have it by a group. Nobody else has a
-- row: who has an app by a group is a question of membership (ADR 0029).
create table app_users (
  org_id              text collate "C" not null,
  app_id              text collate "C" not null,
  user_id             text collate "C" not null,
  -- USER: assigned. GROUP: has the app by a group alone, and the row ends with that.
  scope               text collate "C" not null,
  status              text collate "C" not null default 'ACTIVE',
  -- Null: the name that the app's template makes.
  user_name           text collate "C",
  -- Normal form of the name, for `q` (kernel/text.ts).
  user_name_key       text collate "C",
  sealed_password     bytea,
  -- Only what was said of this user; mappings and groups give the rest.
  profile             jsonb not null default '{}',
  created_at          timestamptz not null,
  status_changed_at   timestamptz not null,
  last_updated_at     timestamptz not null,
  password_changed_at timestamptz,
  -- A row that is made anew must not bear the entity tags of the one before it.
  revision            bigint not null default (extract(epoch from clock_timestamp()) * 1000000)::bigint,
  constraint app_users_pkey primary key (org_id, app_id, user_id),
  constraint app_users_scope_check check (scope in ('USER', 'GROUP')),
  constraint app_users_status_check check (status = 'ACTIVE'),
  constraint app_users_user_name_check check ((user_name is null) = (user_name_key is null)),
  constraint app_users_app_id_fkey foreign key (org_id, app_id) references apps (org_id, id) on delete cascade,
  constraint app_users_user_id_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade
);
create index app_users_user_id_idx on app_users (org_id, user_id, app_id);
create index app_users_user_name_idx on app_users (org_id, app_id, user_name_key, user_id)
  where user_name_key is not null;

-- Those of whom something is kept although a group alone gives them the app.
create index app_users_scope_idx on app_users (org_id, app_id, user_id) where scope = 'GROUP';

create table app_groups (
  org_id          text collate "C" not null,
  app_id          text collate "C" not null,
  group_id        text collate "C" not null,
  -- The lower number goes first; unique at the end of each statement, so that one statement can move several.
  priority        integer not null,
  profile         jsonb not null default '{}',
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  revision        bigint not null default (extract(epoch from clock_timestamp()) * 1000000)::bigint,
  constraint app_groups_pkey primary key (org_id, app_id, group_id),
  constraint app_groups_priority_key unique (org_id, app_id, priority) deferrable initially immediate,
  constraint app_groups_priority_check check (priority >= 0),
  constraint app_groups_app_id_fkey foreign key (org_id, app_id) references apps (org_id, id) on delete cascade,
  constraint app_groups_group_id_fkey foreign key (org_id, group_id) references groups (org_id, id) on delete cascade
);
create index app_groups_group_id_idx on app_groups (org_id, group_id, app_id);
