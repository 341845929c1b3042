-- Events wait as inputs, the facts from which the relay renders their texts. Builds up to 0.3 neither read nor write this
-- table, so events wait in it only after the next migration. Both tables share one sequence, because an effect must
-- follow its cause in whichever table the two wait.
create table log_inputs (
  org_id     text collate "C" not null,
  id         bigint not null default nextval('log_outbox_id_seq'),
  uuid       uuid not null,
  published  timestamptz not null,
  queued_at  timestamptz not null default clock_timestamp(),
  event_type text collate "C" not null,
  format     smallint not null,
  input      text not null,
  constraint log_inputs_pkey primary key (org_id, id)
);
-- A queue: every row dies within milliseconds, and dead rows are what slows the next drain.
alter table log_inputs set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 1000,
  toast.autovacuum_vacuum_cost_delay = 0
);

-- What waits behind an id, in both tables and of all orgs: how many events (exact to 10,000, then what the statistics
-- say), since when, and the lowest id. Steps from org to org along the primary keys; `whole` is false when there are more
-- than 1,000 orgs.
create or replace function log_backlog(low_water bigint, out waiting bigint, out oldest timestamptz, out first_id bigint,
  out whole boolean)
language sql stable set enable_seqscan = off set enable_bitmapscan = off as $$
  with recursive queue (org_id, ordinal) as (
    select least(
      (select org_id from log_inputs where org_id > '' and id > low_water order by org_id, id limit 1),
      (select org_id from log_outbox where org_id > '' and id > low_water order by org_id, id limit 1)), 1
    union all
    select least(
        (select i.org_id from log_inputs i where i.org_id > queue.org_id and i.id > low_water
          order by i.org_id, i.id limit 1),
        (select o.org_id from log_outbox o where o.org_id > queue.org_id and o.id > low_water
          order by o.org_id, o.id limit 1)),
      queue.ordinal + 1
    from queue where queue.org_id is not null and queue.ordinal < 1000
  ), alive as materialized (
    select queue.org_id, first.id, first.since from queue join orgs on orgs.id = queue.org_id cross join lateral (
      select id, since from (
        (select i.id, i.queued_at as since from log_inputs i where i.org_id = queue.org_id and i.id > low_water
          order by i.org_id, i.id limit 1)
        union all
        (select o.id, coalesce(o.queued_at, o.published) from log_outbox o
          where o.org_id = queue.org_id and o.id > low_water order by o.org_id, o.id limit 1)
      ) firsts order by id limit 1
    ) first
  ), counted as (
    select count(*) as events from (
      select from alive cross join lateral (
        (select 1 from log_inputs i where i.org_id = alive.org_id and i.id > low_water limit 10001)
        union all
        (select 1 from log_outbox o where o.org_id = alive.org_id and o.id > low_water limit 10001)
      ) event limit 10001
    ) events
  )
  select
    case when (select events from counted) <= 10000 then (select events from counted)
      else greatest((select events from counted), pg_stat_get_live_tuples('log_inputs'::regclass)
        + pg_stat_get_live_tuples('log_outbox'::regclass)) end,
    (select min(since) from alive), (select min(id) from alive),
    (select count(*) < 1000 from queue where org_id is not null)
$$;

-- The next orgs with waiting events, in order of id, behind an org. Steps from org to org along the primary keys, behind the
-- low-water id, and so past drained rows that an old snapshot keeps. A function, because its plan must follow the indexes
-- whatever the statistics of an empty queue say. Rows of a deleted org stay where they are.
create function log_waiting_orgs(after_org_id text, maximum integer)
returns table (org_id text, has_head boolean, low_water bigint)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  water bigint := coalesce((select state.low_water from log_relay_state state), 0);
begin
  return query with recursive waiting (org, ordinal) as (
    select least(
      (select i.org_id from log_inputs i where i.org_id > after_org_id and i.id > water order by i.org_id, i.id limit 1),
      (select o.org_id from log_outbox o where o.org_id > after_org_id and o.id > water order by o.org_id, o.id limit 1)),
      1
    union all
    select least(
        (select i.org_id from log_inputs i where i.org_id > waiting.org and i.id > water order by i.org_id, i.id limit 1),
        (select o.org_id from log_outbox o where o.org_id > waiting.org and o.id > water order by o.org_id, o.id limit 1)),
      waiting.ordinal + 1
    from waiting where waiting.org is not null and waiting.ordinal < maximum
  )
  select waiting.org::text, heads.org_id is not null, water
  from waiting join orgs on orgs.id = waiting.org left join log_heads heads on heads.org_id = waiting.org
  order by waiting.org;
end $$;

-- One look at the queue by whichever process comes first in a second; the others get what that one saw.
--
-- An id is drawn while its writer holds a lock on one of the tables, to the end of its transaction. So what was given out
-- before a look is final once the holders of that moment are gone, however long readers keep their snapshots.
create or replace function log_relay_measure() returns log_relay_state language plpgsql as $$
declare
  state log_relay_state;
  seen record;
  tables oid[] := array['log_inputs'::regclass::oid, 'log_outbox'::regclass::oid];
begin
  select * into state from log_relay_state;
  if not found then
    insert into log_relay_state default values on conflict do nothing;
    select * into state from log_relay_state;
  end if;
  -- A snapshot from before the look, as under another isolation, would not see what became final.
  if clock_timestamp() between state.measured_at and state.measured_at + interval '900 milliseconds'
    or current_setting('transaction_isolation') <> 'read committed'
    or not pg_try_advisory_xact_lock(hashtextextended('log_relay_measure', 0)) then
    return state;
  end if;
  -- Ids that a session keeps for later would be drawn, to us, and used after everybody of that moment is gone.
  if (select seqcache = 1 from pg_sequence where seqrelid = 'log_outbox_id_seq'::regclass) and not exists (
    select from pg_locks where locktype = 'relation' and relation = any (tables)
      and virtualtransaction = any (state.writers)
  ) then
    state.final := greatest(state.final, state.candidate);
    -- The id first, its writers after it: in the other order a writer could slip between the two.
    select case when is_called then last_value else 0 end into state.candidate from log_outbox_id_seq;
    state.writers := array(
      select virtualtransaction from pg_locks where locktype = 'relation' and relation = any (tables)
        and mode = 'RowExclusiveLock' and database = (select oid from pg_database where datname = current_database())
    );
  end if;
  -- A later statement, hence a later snapshot: it sees whatever became final.
  select * into seen from log_backlog(state.low_water);
  if seen.whole then
    state.low_water := greatest(state.low_water, least(state.final, coalesce(seen.first_id - 1, state.final)));
  end if;
  state.waiting := seen.waiting;
  state.oldest := seen.oldest;
  state.measured_at := clock_timestamp();
  update log_relay_state set low_water = state.low_water, candidate = state.candidate, writers = state.writers,
    final = state.final, waiting = state.waiting, oldest = state.oldest, measured_at = state.measured_at;
  return state;
end $$;
