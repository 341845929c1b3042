-- A role that was narrowed stays so, although the last thing it was narrowed to is gone: no one reaches further because
-- somebody deleted a group.
alter table user_role_assignments add column is_targeted boolean not null default false;
alter table client_role_assignments add column is_targeted boolean not null default false;

create table group_role_assignments (
  org_id          text collate "C" not null,
  group_id        text collate "C" not null,
  id              text collate "C" not null,
  role_type       text collate "C" not null,
  is_targeted     boolean not null default false,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  -- An assignment that is made anew may have an id that it had before, and must not bear its entity tags.
  revision        bigint not null default (extract(epoch from clock_timestamp()) * 1000000)::bigint,
  constraint group_role_assignments_pkey primary key (org_id, group_id, id),
  constraint group_role_assignments_role_type_key unique (org_id, group_id, role_type),
  constraint group_role_assignments_group_id_fkey foreign key (org_id, group_id)
    references groups (org_id, id) on delete cascade
);
create index group_role_assignments_role_type_idx on group_role_assignments (org_id, role_type, group_id);

-- What assignments of standard roles are narrowed to. Ids of users, groups and clients are told apart by how they begin;
-- each stands once more as what it is, so that targets go with the assignment, and with what they name.
create table role_targets (
  org_id             text collate "C" not null,
  assignee_id        text collate "C" not null,
  role_type          text collate "C" not null,
  -- An id, or the name that apps of a kind share.
  target_key         text collate "C" not null,
  assignee_type      text collate "C" not null,
  target_type        text collate "C" not null,
  created_at         timestamptz not null,
  assignee_user_id   text collate "C" generated always as (case assignee_type when 'USER' then assignee_id end) stored,
  assignee_group_id  text collate "C" generated always as (case assignee_type when 'GROUP' then assignee_id end) stored,
  assignee_client_id text collate "C" generated always as (case assignee_type when 'CLIENT' then assignee_id end) stored,
  target_group_id    text collate "C" generated always as (case target_type when 'GROUP' then target_key end) stored,
  target_app_id      text collate "C" generated always as (case target_type when 'APP' then target_key end) stored,
  constraint role_targets_pkey primary key (org_id, assignee_id, role_type, target_key),
  constraint role_targets_assignee_type_check check (assignee_type in ('USER', 'GROUP', 'CLIENT')),
  constraint role_targets_target_type_check check (target_type in ('GROUP', 'APP', 'APP_NAME')),
  constraint role_targets_assignee_user_id_fkey foreign key (org_id, assignee_user_id, role_type)
    references user_role_assignments (org_id, user_id, role_type) on delete cascade,
  constraint role_targets_assignee_group_id_fkey foreign key (org_id, assignee_group_id, role_type)
    references group_role_assignments (org_id, group_id, role_type) on delete cascade,
  constraint role_targets_assignee_client_id_fkey foreign key (org_id, assignee_client_id, role_type)
    references client_role_assignments (org_id, client_id, role_type) on delete cascade,
  constraint role_targets_target_group_id_fkey foreign key (org_id, target_group_id)
    references groups (org_id, id) on delete cascade,
  constraint role_targets_target_app_id_fkey foreign key (org_id, target_app_id)
    references apps (org_id, id) on delete cascade
);
create index role_targets_target_group_id_idx on role_targets (org_id, target_group_id)
  where target_group_id is not null;
create index role_targets_target_app_id_idx on role_targets (org_id, target_app_id) where target_app_id is not null;

create table custom_roles (
  org_id          text collate "C" not null,
  id              text collate "C" not null,
  label           text collate "C" not null,
  description     text not null,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  revision        bigint not null default 1,
  constraint custom_roles_pkey primary key (org_id, id),
  constraint custom_roles_label_key unique (org_id, label),
  constraint custom_roles_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

create table custom_role_permissions (
  org_id          text collate "C" not null,
  role_id         text collate "C" not null,
  -- Neutral: users.read.
  permission      text collate "C" not null,
  -- Attributes of profiles that it is narrowed to; null: all.
  conditions      jsonb,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  -- A permission that is given anew must not bear the entity tags of the one before it.
  revision        bigint not null default (extract(epoch from clock_timestamp()) * 1000000)::bigint,
  constraint custom_role_permissions_pkey primary key (org_id, role_id, permission),
  constraint custom_role_permissions_role_id_fkey foreign key (org_id, role_id)
    references custom_roles (org_id, id) on delete cascade
);

create table resource_sets (
  org_id          text collate "C" not null,
  id              text collate "C" not null,
  label           text collate "C" not null,
  description     text not null,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  revision        bigint not null default 1,
  constraint resource_sets_pkey primary key (org_id, id),
  constraint resource_sets_label_key unique (org_id, label),
  constraint resource_sets_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

-- What is in a set: a kind of resources (access/resource-kinds.ts), and which one; empty: all of the kind.
create table resource_set_resources (
  org_id          text collate "C" not null,
  resource_set_id text collate "C" not null,
  id              text collate "C" not null,
  kind            text collate "C" not null,
  key             text collate "C" not null,
  -- Left out of all of a kind: [{kind, key}].
  excluded        jsonb not null default '[]',
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  revision        bigint not null default 1,
  user_id         text collate "C" generated always as (case kind when 'user' then key end) stored,
  group_id        text collate "C" generated always as (case when kind in ('group', 'groupUsers') then key end) stored,
  app_id          text collate "C" generated always as (case kind when 'app' then key end) stored,
  constraint resource_set_resources_pkey primary key (org_id, resource_set_id, id),
  constraint resource_set_resources_kind_key unique (org_id, resource_set_id, kind, key),
  constraint resource_set_resources_resource_set_id_fkey foreign key (org_id, resource_set_id)
    references resource_sets (org_id, id) on delete cascade,
  constraint resource_set_resources_user_id_fkey foreign key (org_id, user_id)
    references users (org_id, id) on delete cascade,
  constraint resource_set_resources_group_id_fkey foreign key (org_id, group_id)
    references groups (org_id, id) on delete cascade,
  constraint resource_set_resources_app_id_fkey foreign key (org_id, app_id)
    references apps (org_id, id) on delete cascade
);
create index resource_set_resources_user_id_idx on resource_set_resources (org_id, user_id) where user_id is not null;
create index resource_set_resources_group_id_idx on resource_set_resources (org_id, group_id)
  where group_id is not null;
create index resource_set_resources_app_id_idx on resource_set_resources (org_id, app_id) where app_id is not null;

-- A custom role, on the resources of a set.
create table role_bindings (
  org_id          text collate "C" not null,
  resource_set_id text collate "C" not null,
  role_id         text collate "C" not null,
  created_at      timestamptz not null,
  -- As of permissions.
  revision        bigint not null default (extract(epoch from clock_timestamp()) * 1000000)::bigint,
  constraint role_bindings_pkey primary key (org_id, resource_set_id, role_id),
  constraint role_bindings_resource_set_id_fkey foreign key (org_id, resource_set_id)
    references resource_sets (org_id, id) on delete cascade,
  constraint role_bindings_role_id_fkey foreign key (org_id, role_id)
    references custom_roles (org_id, id) on delete cascade
);
create index role_bindings_role_id_idx on role_bindings (org_id, role_id);

-- Who holds a binding: the assignments of custom roles.
create table role_binding_members (
  org_id           text collate "C" not null,
  resource_set_id  text collate "C" not null,
  role_id          text collate "C" not null,
  id               text collate "C" not null,
  member_type      text collate "C" not null,
  member_id        text collate "C" not null,
  created_at       timestamptz not null,
  last_updated_at  timestamptz not null,
  member_user_id   text collate "C" generated always as (case member_type when 'USER' then member_id end) stored,
  member_group_id  text collate "C" generated always as (case member_type when 'GROUP' then member_id end) stored,
  member_client_id text collate "C" generated always as (case member_type when 'CLIENT' then member_id end) stored,
  constraint role_binding_members_pkey primary key (org_id, resource_set_id, role_id, id),
  constraint role_binding_members_member_id_key unique (org_id, resource_set_id, role_id, member_id),
  constraint role_binding_members_member_type_check check (member_type in ('USER', 'GROUP', 'CLIENT')),
  constraint role_binding_members_binding_fkey foreign key (org_id, resource_set_id, role_id)
    references role_bindings (org_id, resource_set_id, role_id) on delete cascade,
  constraint role_binding_members_member_user_id_fkey foreign key (org_id, member_user_id)
    references users (org_id, id) on delete cascade,
  constraint role_binding_members_member_group_id_fkey foreign key (org_id, member_group_id)
    references groups (org_id, id) on delete cascade,
  constraint role_binding_members_member_client_id_fkey foreign key (org_id, member_client_id)
    references apps (org_id, id) on delete cascade
);
create index role_binding_members_member_id_idx on role_binding_members (org_id, member_id);

-- Who has a standard role, and by which assignment: of the user, of a group the user is in, of the client.
create view role_holders as
  select r.org_id, r.user_id as holder_id, r.user_id as assignee_id, r.role_type, r.is_targeted
  from user_role_assignments r
  union all
  select m.org_id, m.user_id, g.group_id, g.role_type, g.is_targeted
  from group_members m join group_role_assignments g on g.org_id = m.org_id and g.group_id = m.group_id
  union all
  select r.org_id, r.client_id, r.client_id, r.role_type, r.is_targeted
  from client_role_assignments r;

create view binding_holders as
  select b.org_id, b.member_id as holder_id, b.resource_set_id, b.role_id
  from role_binding_members b
  union all
  select m.org_id, m.user_id, b.resource_set_id, b.role_id
  from group_members m join role_binding_members b on b.org_id = m.org_id and b.member_id = m.group_id;

-- Everything that a user, a group (as its members would) or a client holds, each role as HeldRole (kernel/held-role.ts).
create view held_roles as
  select h.org_id, h.holder_id, jsonb_build_object(
      'type', h.role_type,
      'custom', null,
      'targets', case when h.is_targeted then (
        select jsonb_build_object(
          'groupIds', coalesce(jsonb_agg(t.target_key) filter (where t.target_type = 'GROUP'), '[]'),
          'everyone', coalesce(bool_or(g.type = 'BUILT_IN'), false),
          'appIds', coalesce(jsonb_agg(t.target_key) filter (where t.target_type = 'APP'), '[]'),
          'appNames', coalesce(jsonb_agg(t.target_key) filter (where t.target_type = 'APP_NAME'), '[]'))
        from role_targets t left join groups g on g.org_id = t.org_id and g.id = t.target_group_id
        where t.org_id = h.org_id and t.assignee_id = h.assignee_id and t.role_type = h.role_type) end) as role
  from (
    select * from role_holders
    union all
    select g.org_id, g.group_id, g.group_id, g.role_type, g.is_targeted from group_role_assignments g) h
  union all
  select b.org_id, b.holder_id, jsonb_build_object(
      'type', 'CUSTOM',
      'targets', null,
      'custom', jsonb_build_object(
        'permissions', coalesce((
          select jsonb_agg(jsonb_build_object('name', p.permission, 'conditions', p.conditions))
          from custom_role_permissions p where p.org_id = b.org_id and p.role_id = b.role_id), '[]'),
        'resources', coalesce((
          -- The members of the group of all users are all users.
          select jsonb_agg(jsonb_build_object(
            'kind', case when r.kind = 'groupUsers' and g.type = 'BUILT_IN' then 'users' else r.kind end,
            'key', nullif(r.key, ''), 'excluded', r.excluded))
          from resource_set_resources r left join groups g on g.org_id = r.org_id and g.id = r.group_id
          where r.org_id = b.org_id and r.resource_set_id = b.resource_set_id), '[]')))
  from binding_holders b;
