-- Growth of the System Log: what leaves it when, and what the relay knows of its queue.

-- When an event began to wait, by the database's clock: nodes' clocks differ by minutes. Null: written before this file.
alter table log_outbox add column queued_at timestamptz;
alter table log_outbox alter column queued_at set default clock_timestamp();

-- One row. Unlogged on purpose: it is empty again after a crash and on a promoted standby, where ids may have gone back.
create unlogged table log_relay_state (
  only_row    boolean not null default true,
  -- No event with this id or a lower one waits or can still be committed: drains begin behind it, past all dead rows.
  low_water   bigint not null default 0,
  -- Ids up to here were given out before the last look; they are final once the writers of that moment have ended.
  candidate   bigint not null default 0,
  writers     text[] not null default '{}',
  -- Ids up to here are committed or will never be.
  final       bigint not null default 0,
  waiting     bigint not null default 0,
  oldest      timestamptz,
  measured_at timestamptz not null default '-infinity',
  constraint log_relay_state_pkey primary key (only_row),
  constraint log_relay_state_only_row_check check (only_row)
) with (fillfactor = 20);

-- The chain over a batch in the order of its positions: each hash is made from the one before, the first from `first`.
create function log_chain_next(previous bytea, first bytea, label bytea, org text, event_position bigint, digest bytea)
returns bytea language plpgsql immutable parallel safe as $$
begin
  return log_hash(label, org, event_position, digest, coalesce(previous, first));
end $$;
create aggregate log_chain_hash(first bytea, label bytea, org text, event_position bigint, digest bytea) (
  sfunc = log_chain_next, stype = bytea
);

-- What waits behind an id in the outboxes of all orgs: how many (exact to 10,000, then what the statistics say), since
-- when, and the lowest id. Steps from org to org along the primary key; `whole` is false when there are more than 1,000.
create function log_backlog(low_water bigint, out waiting bigint, out oldest timestamptz, out first_id bigint,
  out whole boolean)
language sql stable set enable_seqscan = off set enable_bitmapscan = off as $$
  with recursive queue (org_id, id, since, ordinal) as (
    (select org_id, id, coalesce(queued_at, published), 1 from log_outbox where org_id > '' and id > low_water
     order by org_id, id limit 1)
    union all
    select next.org_id, next.id, next.since, queue.ordinal + 1
    from queue cross join lateral (
      select o.org_id, o.id, coalesce(o.queued_at, o.published) as since from log_outbox o
      where o.org_id > queue.org_id and o.id > low_water order by o.org_id, o.id limit 1
    ) next
    where queue.ordinal < 1000
  ), alive as materialized (
    select queue.* from queue join orgs on orgs.id = queue.org_id
  ), counted as (
    select count(*) as events from (
      select from alive cross join lateral (
        select from log_outbox o where o.org_id = alive.org_id and o.id > low_water limit 10001
      ) event limit 10001
    ) events
  )
  select
    case when (select events from counted) <= 10000 then (select events from counted)
      else greatest((select events from counted), pg_stat_get_live_tuples('log_outbox'::regclass)) end,
    (select min(since) from alive), (select min(id) from alive), (select count(*) < 1000 from queue)
$$;

-- One look at the queue by whichever process comes first in a second; the others get what that one saw.
--
-- An id is drawn while its writer holds a lock on the table, to the end of its transaction. So what was given out before
-- a look is final once the holders of that moment are gone, however long readers keep their snapshots.
create function log_relay_measure() returns log_relay_state language plpgsql as $$
declare
  state log_relay_state;
  seen record;
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
    select from pg_locks where locktype = 'relation' and relation = 'log_outbox'::regclass
      and virtualtransaction = any (state.writers)
  ) then
    state.final := greatest(state.final, state.candidate);
    -- The id first, its writers after it: in the other order a writer could slip between the two.
    select case when is_called then last_value else 0 end into state.candidate from log_outbox_id_seq;
    state.writers := array(
      select virtualtransaction from pg_locks where locktype = 'relation' and relation = 'log_outbox'::regclass
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

-- How many days an org keeps its log. Readers of an older setting, or of none, get the 90 days of the specification.
create function log_retention_days(settings jsonb) returns integer language sql immutable parallel safe
return case when jsonb_typeof(settings -> 'logRetentionDays') = 'number'
  then least(greatest((settings ->> 'logRetentionDays')::numeric, 90), 3650)::integer else 90 end;
create index orgs_log_retention_idx on orgs (log_retention_days(settings)) where log_retention_days(settings) > 90;

-- The ledger's partitions and the instants between which their events were persisted, the second one excluded.
create function log_partitions(out name text, out first_instant timestamptz, out last_instant timestamptz)
returns setof record language sql stable as $$
  select relname, (regexp_match(bound, 'FROM \(''([^'']+)''\)'))[1]::timestamptz,
    (regexp_match(bound, 'TO \(''([^'']+)''\)'))[1]::timestamptz
  from (
    select c.relname::text, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'log_events'::regclass
  ) partition
  order by 2
$$;

-- Which old cursors were told of what they skipped: once, however often a reader comes back with one.
create table log_cursor_skips (
  org_id     text collate "C" not null,
  reader_id  text collate "C" not null,
  position   bigint not null,
  skipped_at timestamptz not null,
  constraint log_cursor_skips_pkey primary key (org_id, reader_id, position),
  constraint log_cursor_skips_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);
