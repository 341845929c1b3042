-- What a client is called on the wire may be chosen when its app is made. Every column `client_id` holds that, every
-- column `app_id` the id of the app: foreign keys tell them apart.

-- Client ids that were ever chosen in an org, small letters for capital ones. They outlive their apps: tokens, and rules
-- of resource servers, may name them for longer.
create table client_ids (
  org_id     text collate "C" not null,
  name_key   text collate "C" not null,
  created_at timestamptz not null,
  constraint client_ids_pkey primary key (org_id, name_key),
  constraint client_ids_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

-- Null: nobody chose one, and the client is called by the id of its app.
alter table apps
  add column chosen_client_id text collate "C",
  add column chosen_client_key text collate "C" generated always as (lower(chosen_client_id)) stored,
  add column client_id text collate "C" not null generated always as (coalesce(chosen_client_id, id)) stored,
  add constraint apps_client_id_key unique (org_id, client_id),
  add constraint apps_chosen_client_id_key unique (org_id, chosen_client_key),
  add constraint apps_chosen_client_id_check check (chosen_client_id is null
      or (sign_on_mode = 'OPENID_CONNECT' and chosen_client_id ~ '^[A-Za-z0-9._-]{6,100}$')),
  add constraint apps_chosen_client_id_fkey foreign key (org_id, chosen_client_key)
    references client_ids (org_id, name_key);

alter table used_assertions
  drop constraint used_assertions_client_id_fkey,
  add constraint used_assertions_client_id_fkey foreign key (org_id, client_id) references apps (org_id, client_id)
    on delete cascade;
alter table client_role_assignments
  drop constraint client_role_assignments_client_id_fkey,
  add constraint client_role_assignments_client_id_fkey foreign key (org_id, client_id)
    references apps (org_id, client_id) on delete cascade;
alter table role_binding_members
  drop constraint role_binding_members_member_client_id_fkey,
  add constraint role_binding_members_member_client_id_fkey foreign key (org_id, member_client_id)
    references apps (org_id, client_id) on delete cascade;
alter table authorization_requests
  drop constraint authorization_requests_client_id_fkey,
  add constraint authorization_requests_client_id_fkey foreign key (org_id, client_id)
    references apps (org_id, client_id) on delete cascade;
alter table authorization_codes
  drop constraint authorization_codes_client_id_fkey,
  add constraint authorization_codes_client_id_fkey foreign key (org_id, client_id)
    references apps (org_id, client_id) on delete cascade;
alter table refresh_tokens
  drop constraint refresh_tokens_client_id_fkey,
  add constraint refresh_tokens_client_id_fkey foreign key (org_id, client_id) references apps (org_id, client_id)
    on delete cascade;
alter table user_consents
  drop constraint user_consents_client_id_fkey,
  add constraint user_consents_client_id_fkey foreign key (org_id, client_id) references apps (org_id, client_id)
    on delete cascade;
alter table session_clients
  drop constraint session_clients_client_id_fkey,
  add constraint session_clients_client_id_fkey foreign key (org_id, client_id) references apps (org_id, client_id)
    on delete cascade;
alter table polled_requests
  drop constraint polled_requests_client_id_fkey,
  add constraint polled_requests_client_id_fkey foreign key (org_id, client_id) references apps (org_id, client_id)
    on delete cascade;

-- As before, by client ids, and with the id of the app.
drop view live_clients;
create view live_clients as
  select a.org_id, a.id, a.client_id, a.label, a.application_type, a.valid_after,
    array(select g.scope from app_grants g where g.org_id = a.org_id and g.app_id = a.id order by g.scope) as scopes,
    array(select r.role_type from client_role_assignments r
          where r.org_id = a.org_id and r.client_id = a.client_id order by r.role_type) as roles
  from apps a where a.status = 'ACTIVE';

drop view live_refresh_tokens;
create view live_refresh_tokens as
  select t.*, u.login, u.profile as user_profile, a.id as app_id, a.label as client_label, v.name as server_name,
    coalesce(v.is_default, false) as is_default_server
  from refresh_tokens t
  join users u on u.org_id = t.org_id and u.id = t.user_id
  join apps a on a.org_id = t.org_id and a.client_id = t.client_id
  left join authorization_servers v on v.org_id = t.org_id and v.id = t.server_id
  left join app_users d on d.org_id = t.org_id and d.app_id = a.id and d.user_id = t.user_id
  -- Lateral with a limit: asked of each row by keys, never by a hash of all assignments.
  cross join lateral (
    select where coalesce(a.document -> 'settings' ->> 'implicitAssignment' = 'true', false)
      and a.implicit_from < t.issued_at
    union all select where d.scope = 'USER' and d.valid_from < t.issued_at
    union all select from group_members m join app_groups g on g.org_id = m.org_id and g.group_id = m.group_id
    where m.org_id = t.org_id and m.user_id = t.user_id and g.app_id = a.id
      and least(greatest(m.valid_from, g.valid_from), d.valid_from) < t.issued_at
    union all select from groups e join app_groups g on g.org_id = e.org_id and g.group_id = e.id
    where e.org_id = t.org_id and e.type = 'BUILT_IN' and g.app_id = a.id
      and least(g.valid_from, d.valid_from) < t.issued_at
    limit 1
  ) assigned
  where u.status not in ('STAGED', 'SUSPENDED', 'DEPROVISIONED') and a.status = 'ACTIVE'
    and (t.server_id = '' or v.status = 'ACTIVE')
    and t.issued_at > greatest(u.valid_after, a.valid_after, v.valid_after);

drop view live_consents;
create view live_consents as
  select c.org_id, c.id, c.user_id, a.id as app_id, c.client_id, c.server_id, c.scope_id, c.decision, c.source,
    c.created_by, c.created_at, c.last_updated_at, s.name as scope_name, s.display_name as scope_display_name,
    s.description as scope_description, u.login, u.profile as user_profile, a.label as client_label,
    v.name as server_name, v.is_default as is_default_server
  from user_consents c
  join users u on u.org_id = c.org_id and u.id = c.user_id
  join apps a on a.org_id = c.org_id and a.client_id = c.client_id
  join authorization_servers v on v.org_id = c.org_id and v.id = c.server_id
  join authorization_server_scopes s on s.org_id = c.org_id and s.server_id = c.server_id and s.id = c.scope_id
  where c.decision <> 'REVOKED'
    and c.issued_at > greatest(u.last_deactivated_at, a.last_deactivated_at, v.valid_after, s.valid_after);
