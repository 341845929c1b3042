-- When its user was authenticated, by the database's clock: how fresh a sign-in is must not hang on whose clock is
-- asked. Null: opened by a version that did not note it; then `issued_at` stands for it.
alter table sessions add column authenticated_at timestamptz;

-- The address by which a session signed its user in to an app: the issuer of the app's ID tokens, and so of the logout
-- token that ends them. Null: noted by a version that did not know.
alter table session_clients add column base_url text;

-- Since when an assignment counts, by the database's clock: what an app was given for its user before is void, also
-- when the user gets the app back. Whatever stands already counts for everything.
alter table app_users add column valid_from timestamptz not null default '-infinity';
alter table app_users alter column valid_from set default clock_timestamp();
alter table app_groups add column valid_from timestamptz not null default '-infinity';
alter table app_groups alter column valid_from set default clock_timestamp();
alter table group_members add column valid_from timestamptz not null default '-infinity';
alter table group_members alter column valid_from set default clock_timestamp();
-- The same of an app that is everyone's without assignments.
alter table apps add column implicit_from timestamptz not null default '-infinity';
alter table apps alter column implicit_from set default clock_timestamp();

-- As before, but that the user must have had the app since before the token was issued (app_assigned_since).
create or replace view live_refresh_tokens as
  select t.*, u.login, u.profile as user_profile, a.label as client_label, v.name as server_name,
    coalesce(v.is_default, false) as is_default_server
  from refresh_tokens t
  join users u on u.org_id = t.org_id and u.id = t.user_id
  join apps a on a.org_id = t.org_id and a.id = t.client_id
  left join authorization_servers v on v.org_id = t.org_id and v.id = t.server_id
  left join app_users d on d.org_id = t.org_id and d.app_id = t.client_id and d.user_id = t.user_id
  -- Lateral with a limit: asked of each row by keys, never by a hash of all assignments.
  cross join lateral (
    select where coalesce(a.document -> 'settings' ->> 'implicitAssignment' = 'true', false)
      and a.implicit_from < t.issued_at
    union all select where d.scope = 'USER' and d.valid_from < t.issued_at
    union all select from group_members m join app_groups g on g.org_id = m.org_id and g.group_id = m.group_id
    where m.org_id = t.org_id and m.user_id = t.user_id and g.app_id = t.client_id
      and least(greatest(m.valid_from, g.valid_from), d.valid_from) < t.issued_at
    union all select from groups e join app_groups g on g.org_id = e.org_id and g.group_id = e.id
    where e.org_id = t.org_id and e.type = 'BUILT_IN' and g.app_id = t.client_id
      and least(g.valid_from, d.valid_from) < t.issued_at
    limit 1
  ) assigned
  where u.status not in ('STAGED', 'SUSPENDED', 'DEPROVISIONED') and a.status = 'ACTIVE'
    and (t.server_id = '' or v.status = 'ACTIVE')
    and t.issued_at > greatest(u.valid_after, a.valid_after, v.valid_after);
