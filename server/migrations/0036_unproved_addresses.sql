-- The address that a user gave himself without proof; while it is his, `email_verified` is not true. Null: there is none.
alter table users add column unproved_email text;

-- Until now users could change their own address without proof. What the schema lets them write counts as unproved, unless
-- the last event that set the present address names somebody else as its actor. What can't be JSON in this database is
-- passed over.
with told as (
  select distinct on (e.org_id, x.user_id) e.org_id, x.user_id, e.actor_id, x.email
  from log_events e
  cross join lateral (
    select t ->> 'id' as user_id, t #>> '{changeDetails,to,email}' as email
    from jsonb_array_elements(
      case when e.body ~* '\\u(0000|d[89a-f])' then '[]' else coalesce(e.body::jsonb -> 'target', '[]') end) t) x
  where e.event_type in ('user.lifecycle.create', 'user.account.update_profile') and e.erased_at is null
    and x.email is not null
  order by e.org_id, x.user_id, e.position desc)
update users u set unproved_email = u.profile ->> 'email'
from user_types y
where y.org_id = u.org_id and y.id = u.type_id
  and coalesce(y.base_overrides #>> '{email,permissions,0,action}', 'READ_WRITE') = 'READ_WRITE'
  and coalesce(y.base_overrides #>> '{email,mutability}', 'READ_WRITE') <> 'READ_ONLY'
  and not exists (
    select from told where told.org_id = u.org_id and told.user_id = u.id and told.actor_id <> u.id
      and told.email = u.profile ->> 'email');
