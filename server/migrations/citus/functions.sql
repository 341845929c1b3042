-- These functions replace functions of the same names that migrations define. Theirs skip from org to org in one index,
-- which Citus cannot do over several shards. These look at every shard once.

create or replace function log_waiting_orgs(after_org_id text, maximum integer)
returns table (org_id text, has_head boolean, low_water bigint) language plpgsql stable as $$
declare
  water bigint := coalesce((select state.low_water from log_relay_state state), 0);
begin
  return query
    with waiting as materialized (
      select queue.org from (
        select i.org_id as org from log_inputs i where i.org_id > after_org_id and i.id > water
        union
        select o.org_id from log_outbox o where o.org_id > after_org_id and o.id > water
      ) queue order by queue.org limit maximum
    ), headed as materialized (
      select heads.org_id as org from log_heads heads where heads.org_id in (select waiting.org from waiting)
    )
    select waiting.org::text, headed.org is not null, water
    from waiting join orgs on orgs.id = waiting.org left join headed on headed.org = waiting.org
    order by waiting.org;
end $$;

-- It never says that it saw everything (`whole`), so the low-water id stays: a row of a transaction over several workers may
-- become visible later than its locks on the coordinator end.
create or replace function log_backlog(low_water bigint, out waiting bigint, out oldest timestamptz, out first_id bigint,
  out whole boolean) language plpgsql stable as $$
begin
  select count(*), min(event.since), min(event.id), false into waiting, oldest, first_id, whole
  from (
    select i.org_id, i.id, i.queued_at as since from log_inputs i where i.id > log_backlog.low_water
    union all
    select o.org_id, o.id, coalesce(o.queued_at, o.published) from log_outbox o where o.id > log_backlog.low_water
  ) event join orgs on orgs.id = event.org_id;
end $$;
