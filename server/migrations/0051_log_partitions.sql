-- The next migration gives log_events another name (ADR 0081). The functions below serve before and after it.

-- The fresh end is a queue, from which sealing takes rows in large numbers. Vacuum comes after a fixed number of them, and
-- does not give pages at the end of the table back, because that would lock the table that the relay appends to.
alter table log_fresh set (
  vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  toast.vacuum_truncate = off, toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 20000
);

-- Makes the weekly partitions that hold first_instant to last_instant and returns how many were missing. A partition is
-- made apart and attached, because `create table ... partition of` would wait for, and then hold up, every reader.
-- Nothing is appended to the table under its other name, so no partition is made for it.
create or replace function log_ensure_partitions(first_instant timestamptz, last_instant timestamptz) returns integer
language plpgsql as $$
declare
  week timestamp := date_trunc('week', first_instant at time zone 'UTC');
  name text;
  made integer := 0;
begin
  while week <= last_instant at time zone 'UTC' and to_regclass('log_events') is not null loop
    name := 'log_events_' || to_char(week, 'YYYYMMDD');
    if to_regclass(name) is null then
      perform pg_advisory_xact_lock(hashtextextended('log_ensure_partitions', 0));
      if to_regclass(name) is null then
        -- The lock orders the makers, but a catalogue entry cached before it was granted may still say "none". And the
        -- table may be renamed between two statements.
        begin
          execute format('create table %I (like log_events including defaults including constraints including storage '
            || 'including compression)', name);
          execute format('alter table log_events attach partition %I for values from (%L) to (%L)',
            name, week at time zone 'UTC', (week + interval '7 days') at time zone 'UTC');
          made := made + 1;
        exception when duplicate_table or undefined_table then
          null;
        end;
      end if;
    end if;
    week := week + interval '7 days';
  end loop;
  return made;
end $$;

-- Processes of an older version ask this function which weeks they may drop. They would not look for segments before that,
-- so it finds none under the other name. The name is looked up by each execution, because a plan may outlive the rename.
create or replace function log_partitions(out name text, out first_instant timestamptz, out last_instant timestamptz)
returns setof record language sql stable as $$
  select relname, (regexp_match(bound, 'FROM \(''([^'']+)''\)'))[1]::timestamptz,
    (regexp_match(bound, 'TO \(''([^'']+)''\)'))[1]::timestamptz
  from (
    select c.relname::text, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass('log_events')::oid
  ) partition
  order by 2
$$;

-- The weekly partitions and the instants between which their events were persisted, the second one excluded.
create function log_weeks(out name text, out first_instant timestamptz, out last_instant timestamptz)
returns setof record language sql stable as $$
  select relname, (regexp_match(bound, 'FROM \(''([^'']+)''\)'))[1]::timestamptz,
    (regexp_match(bound, 'TO \(''([^'']+)''\)'))[1]::timestamptz
  from (
    select c.relname::text, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = any (array[to_regclass('log_events')::oid, to_regclass('log_older')::oid])
  ) partition
  order by 2
$$;
