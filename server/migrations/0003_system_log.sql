-- The System Log: events wait in log_outbox, written by the transaction that made the change; the relay numbers them into
-- log_events. What is stored per event is final in the outbox already; only position, hash and persisted_at are added.

create sequence log_outbox_id_seq;

-- No foreign key to orgs: it would lock the org's row, shared, in every change of the org.
create table log_outbox (
  org_id            text collate "C" not null,
  id                bigint not null default nextval('log_outbox_id_seq'),
  uuid              uuid not null,
  published         timestamptz not null,
  event_type        text collate "C" not null,
  severity          text collate "C" not null,
  actor_id          text collate "C" not null,
  target_ids        text[] collate "C" not null,
  outcome_result    text collate "C",
  client_ip_address text collate "C",
  transaction_id    text collate "C" not null,
  tokens            integer[] not null,
  salt              bytea not null,
  digest            bytea not null,
  body              text not null,
  constraint log_outbox_pkey primary key (org_id, id),
  -- Refused in the writer's transaction, so that the relay never meets a row which its indexes can't hold.
  -- Only what a client can lengthen: the text of a check is read anew by every insert, and each part costs like a column.
  constraint log_outbox_sizes_check check (octet_length(actor_id) <= 1024 and octet_length(body) <= 1000000)
);
-- A queue: every row dies within milliseconds, and dead rows are what slows the next drain.
alter table log_outbox set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 1000,
  toast.autovacuum_vacuum_cost_delay = 0
);

-- The end of each org's chain: the only source of positions, and the fence between two relays.
create table log_heads (
  org_id       text collate "C" not null,
  position     bigint not null default 0,
  hash         bytea not null default decode(repeat('00', 32), 'hex'),
  persisted_at timestamptz not null default to_timestamp(0),
  constraint log_heads_pkey primary key (org_id),
  constraint log_heads_position_check check (position >= 0),
  constraint log_heads_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
) with (fillfactor = 50);

create table log_events (
  org_id            text collate "C" not null,
  position          bigint not null,
  persisted_at      timestamptz not null,
  uuid              uuid not null,
  published         timestamptz not null,
  event_type        text collate "C" not null,
  severity          text collate "C" not null,
  actor_id          text collate "C" not null,
  target_ids        text[] collate "C" not null,
  outcome_result    text collate "C",
  client_ip_address text collate "C",
  transaction_id    text collate "C" not null,
  tokens            integer[] not null,
  -- Gone when the event was erased: then the digest can still be chained, but no longer be guessed at.
  salt              bytea,
  digest            bytea not null,
  hash              bytea not null,
  erased_at         timestamptz,
  body              text not null,
  constraint log_events_pkey primary key (org_id, position, persisted_at)
) partition by range (persisted_at);
create index log_events_published_idx on log_events (org_id, published, position);
create index log_events_event_type_idx on log_events (org_id, event_type, published, position);
create index log_events_actor_id_idx on log_events (org_id, actor_id, published, position);
-- Keywords and `field=value` pairs, each hashed together with its org: other orgs' rows are not even looked at.
create index log_events_tokens_idx on log_events using gin (tokens);

do $$
begin
  alter table log_outbox alter column body set compression lz4;
  alter table log_events alter column body set compression lz4;
exception when feature_not_supported then
  null; -- this build has pglz only
end $$;

-- What the ledger refused; the relay leaves an event in its place.
create table log_quarantine (
  org_id         text collate "C" not null,
  id             bigint not null,
  uuid           uuid not null,
  event_type     text collate "C" not null,
  row            jsonb not null,
  reason         text not null,
  quarantined_at timestamptz not null,
  constraint log_quarantine_pkey primary key (org_id, id),
  constraint log_quarantine_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

-- Where verification starts once older events have left: the signed end of what was dropped.
create table log_anchors (
  org_id     text collate "C" not null,
  position   bigint not null,
  hash       bytea not null,
  signed     text not null,
  created_at timestamptz not null,
  constraint log_anchors_pkey primary key (org_id, position),
  constraint log_anchors_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

-- Reading the log is itself an event, once per reader and hour.
create table log_access (
  org_id    text collate "C" not null,
  reader_id text collate "C" not null,
  hour      timestamptz not null,
  constraint log_access_pkey primary key (org_id, reader_id, hour),
  constraint log_access_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

-- hash = SHA-256 over the length-prefixed fields: label, org, position (8 bytes, big endian), digest, previous hash.
create function log_hash(label bytea, org text, event_position bigint, digest bytea, previous bytea) returns bytea
language sql immutable parallel safe
return sha256(
  int4send(octet_length(label)) || label
  || int4send(octet_length(convert_to(org, 'UTF8'))) || convert_to(org, 'UTF8')
  || int4send(8) || int8send(event_position)
  || int4send(octet_length(digest)) || digest
  || int4send(octet_length(previous)) || previous
);

-- Makes the weekly partitions that hold first_instant to last_instant and returns how many were missing. A partition is
-- made apart and attached, because `create table ... partition of` would wait for, and then hold up, every reader.
create function log_ensure_partitions(first_instant timestamptz, last_instant timestamptz) returns integer
language plpgsql as $$
declare
  week timestamp := date_trunc('week', first_instant at time zone 'UTC');
  name text;
  made integer := 0;
begin
  while week <= last_instant at time zone 'UTC' loop
    name := 'log_events_' || to_char(week, 'YYYYMMDD');
    if to_regclass(name) is null then
      perform pg_advisory_xact_lock(hashtextextended('log_ensure_partitions', 0));
      if to_regclass(name) is null then
        -- The lock orders the makers, but a catalogue entry cached before it was granted may still say "none".
        begin
          execute format('create table %I (like log_events including defaults including constraints including storage '
            || 'including compression)', name);
          execute format('alter table log_events attach partition %I for values from (%L) to (%L)',
            name, week at time zone 'UTC', (week + interval '7 days') at time zone 'UTC');
          made := made + 1;
        exception when duplicate_table then
          null;
        end;
      end if;
    end if;
    week := week + interval '7 days';
  end loop;
  return made;
end $$;

select log_ensure_partitions(now(), now() + interval '35 days');
