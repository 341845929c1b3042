alter table user_types
  -- Attributes that the org added, in their order: [{"name", "attributeId", "definition"}, ...].
  add column custom_attributes jsonb not null default '[]',
  -- Attributes that are gone from the schema while a job takes their values out of the profiles (ADR 0025).
  add column leaving_attributes jsonb not null default '[]';

-- Schemas of what is no user: of groups, and of the users of an app or identity provider. No row: nothing was changed.
create table profile_schemas (
  org_id             text collate "C" not null,
  -- `group`, or the id of the app or identity provider.
  owner_id           text collate "C" not null,
  custom_attributes  jsonb not null default '[]',
  leaving_attributes jsonb not null default '[]',
  version            integer not null default 1,
  last_updated_at    timestamptz not null,
  constraint profile_schemas_pkey primary key (org_id, owner_id),
  constraint profile_schemas_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

-- Values of attributes that no two users of an org may share, in their normal form.
create table user_unique_values (
  org_id       text collate "C" not null,
  attribute_id integer not null,
  value_key    text collate "C" not null,
  user_id      text collate "C" not null,
  constraint user_unique_values_pkey primary key (org_id, attribute_id, value_key),
  constraint user_unique_values_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);
create index user_unique_values_user_id_idx on user_unique_values (org_id, user_id);

create table linked_object_definitions (
  org_id                 text collate "C" not null,
  primary_name           text collate "C" not null,
  primary_title          text not null,
  primary_description    text,
  associated_name        text collate "C" not null,
  associated_title       text not null,
  associated_description text,
  created_at             timestamptz not null,
  -- A definition that is made anew under an old name must not bear the entity tag of the one before it.
  revision               bigint not null default (extract(epoch from clock_timestamp()) * 1000000)::bigint,
  constraint linked_object_definitions_pkey primary key (org_id, primary_name),
  constraint linked_object_definitions_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

-- Either side's name means the definition, and no name means two.
create table linked_object_names (
  org_id       text collate "C" not null,
  name         text collate "C" not null,
  primary_name text collate "C" not null,
  constraint linked_object_names_pkey primary key (org_id, name),
  constraint linked_object_names_primary_name_fkey foreign key (org_id, primary_name)
    references linked_object_definitions (org_id, primary_name) on delete cascade
);

create table linked_object_values (
  org_id        text collate "C" not null,
  associated_id text collate "C" not null,
  primary_name  text collate "C" not null,
  primary_id    text collate "C" not null,
  constraint linked_object_values_pkey primary key (org_id, associated_id, primary_name),
  constraint linked_object_values_primary_name_fkey foreign key (org_id, primary_name)
    references linked_object_definitions (org_id, primary_name) on delete cascade,
  constraint linked_object_values_associated_id_fkey foreign key (org_id, associated_id)
    references users (org_id, id) on delete cascade,
  constraint linked_object_values_primary_id_fkey foreign key (org_id, primary_id)
    references users (org_id, id) on delete cascade
);
create index linked_object_values_primary_id_idx
  on linked_object_values (org_id, primary_id, primary_name, associated_id);

create table profile_mappings (
  org_id          text collate "C" not null,
  id              text collate "C" not null,
  -- An app or an identity provider, and the name that both have for life.
  app_id          text collate "C" not null,
  app_name        text collate "C" not null,
  app_kind        text collate "C" not null,
  user_type_id    text collate "C" not null,
  direction       text collate "C" not null,
  -- Null: those that mappings of the app's kind begin with.
  properties      jsonb,
  last_updated_at timestamptz not null,
  revision        bigint not null default 1,
  constraint profile_mappings_pkey primary key (org_id, id),
  constraint profile_mappings_app_id_key unique (org_id, app_id, user_type_id, direction),
  constraint profile_mappings_app_kind_check check (app_kind in ('OIDC', 'PLAIN', 'PROVIDER')),
  constraint profile_mappings_direction_check check (direction in ('TO_USER', 'TO_APP_USER')),
  constraint profile_mappings_user_type_id_fkey foreign key (org_id, user_type_id)
    references user_types (org_id, id) on delete cascade
);
create index profile_mappings_user_type_id_idx on profile_mappings (org_id, user_type_id, id);

-- Apps and identity providers made before there were mappings get those that new ones get.
insert into profile_mappings (org_id, id, app_id, app_name, app_kind, user_type_id, direction, last_updated_at)
select s.org_id,
  'prm' || substr(translate(encode(sha256((s.id || gen_random_uuid())::bytea), 'base64'), '+/=', 'xyz'), 1, 14)
    || right(s.org_id, 3),
  s.id, s.name, s.kind, t.id, s.direction, date_trunc('second', now())
from (
  select a.org_id, a.id, coalesce(a.document ->> 'name', 'oidc_client') as name,
      case a.sign_on_mode when 'OPENID_CONNECT' then 'OIDC' else 'PLAIN' end as kind, d.direction
    from apps a cross join (values ('TO_USER'), ('TO_APP_USER')) as d (direction)
  union all
  select p.org_id, p.id, case p.type when 'SAML2' then 'saml_idp' else lower(p.type) || '_idp' end,
      'PROVIDER', 'TO_USER'
    from identity_providers p
) s join user_types t on t.org_id = s.org_id;
