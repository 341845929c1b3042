create table groups (
  org_id                     text collate "C" not null,
  id                         text collate "C" not null,
  type                       text collate "C" not null,
  name                       text collate "C" not null,
  -- Normal form of the name: case and width do not make another name (kernel/text.ts).
  name_key                   text collate "C" not null,
  -- Name, description and the custom attributes of the group schema, as clients wrote them.
  profile                    jsonb not null,
  -- The app that a group of type APP_GROUP comes from.
  source_id                  text collate "C",
  created_at                 timestamptz not null,
  last_updated_at            timestamptz not null,
  -- Volatile: neither the revision nor an entity tag moves with it.
  last_membership_updated_at timestamptz not null,
  revision                   bigint not null default 1,
  constraint groups_pkey primary key (org_id, id),
  constraint groups_type_check check (type in ('NATIVE_GROUP', 'APP_GROUP', 'BUILT_IN')),
  constraint groups_source_check check ((type = 'APP_GROUP') = (source_id is not null)),
  constraint groups_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade,
  constraint groups_source_id_fkey foreign key (org_id, source_id) references apps (org_id, id) on delete cascade
) with (fillfactor = 70);
-- Groups of apps keep the names they have there; two apps may both have their `Sales`.
create unique index groups_name_key on groups (org_id, name_key) where type <> 'APP_GROUP';
create unique index groups_built_in_key on groups (org_id) where type = 'BUILT_IN';
create index groups_source_id_idx on groups (org_id, source_id, id) where source_id is not null;

-- Who is in a group, by hand or by a rule. Nobody has a row for the built-in group: all users are in it (ADR 0026).
create table group_members (
  org_id    text collate "C" not null,
  group_id  text collate "C" not null,
  user_id   text collate "C" not null,
  -- False: rules alone give the membership, and it ends with the last of them.
  is_direct boolean not null,
  added_at  timestamptz not null,
  constraint group_members_pkey primary key (org_id, group_id, user_id),
  constraint group_members_group_id_fkey foreign key (org_id, group_id)
    references groups (org_id, id) on delete cascade,
  constraint group_members_user_id_fkey foreign key (org_id, user_id)
    references users (org_id, id) on delete cascade
);
create index group_members_user_id_idx on group_members (org_id, user_id, group_id);

create table group_owners (
  org_id         text collate "C" not null,
  group_id       text collate "C" not null,
  owner_id       text collate "C" not null,
  owner_type     text collate "C" not null,
  -- The owner once more, by what it is, so that an owner's deletion ends the ownership.
  owner_user_id  text collate "C" generated always as (case owner_type when 'USER' then owner_id end) stored,
  owner_group_id text collate "C" generated always as (case owner_type when 'GROUP' then owner_id end) stored,
  assigned_at    timestamptz not null,
  constraint group_owners_pkey primary key (org_id, group_id, owner_id),
  constraint group_owners_owner_type_check check (owner_type in ('USER', 'GROUP')),
  constraint group_owners_group_id_fkey foreign key (org_id, group_id)
    references groups (org_id, id) on delete cascade,
  constraint group_owners_owner_user_id_fkey foreign key (org_id, owner_user_id)
    references users (org_id, id) on delete cascade,
  constraint group_owners_owner_group_id_fkey foreign key (org_id, owner_group_id)
    references groups (org_id, id) on delete cascade
);
create index group_owners_owner_user_id_idx on group_owners (org_id, owner_user_id) where owner_user_id is not null;
create index group_owners_owner_group_id_idx on group_owners (org_id, owner_group_id) where owner_group_id is not null;

-- The search index: one row per attribute value, in comparison order. Numbers stand in groups/attribute-values.ts.
create table group_attribute_values (
  org_id       text collate "C" not null,
  attribute_id integer not null,
  value_key    text collate "C" not null,
  group_id     text collate "C" not null,
  constraint group_attribute_values_pkey primary key (org_id, attribute_id, value_key, group_id),
  constraint group_attribute_values_group_id_fkey foreign key (org_id, group_id)
    references groups (org_id, id) on delete cascade
);
create index group_attribute_values_group_id_idx on group_attribute_values (org_id, group_id, attribute_id);

-- Orgs made before there were groups get the one that every org has.
insert into groups (org_id, id, type, name, name_key, profile, created_at, last_updated_at, last_membership_updated_at)
select o.id,
  '00g' || substr(translate(encode(sha256((o.id || gen_random_uuid())::bytea), 'base64'), '+/=', 'xyz'), 1, 14)
    || right(o.id, 3),
  'BUILT_IN', 'Everyone', 'everyone',
  '{"name": "Everyone", "description": "All users in your organization"}',
  date_trunc('second', now()), date_trunc('second', now()), date_trunc('second', now())
from orgs o;

insert into group_attribute_values (org_id, attribute_id, value_key, group_id)
select g.org_id, v.attribute_id, v.value_key, g.id
from groups g cross join lateral (values
  (1, 'built_in'),
  (2, to_char(g.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
  (3, to_char(g.last_updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
  (4, to_char(g.last_membership_updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
  (100, 'everyone'),
  (101, 'all users in your organization')
) as v (attribute_id, value_key);
