-- The ledger in three forms: sealed segments, the rows of log_events, and the fresh end. This version reads all three
-- and writes only log_events (ADR 0079). For each org, segments come first, then rows of log_events, then fresh ones.

-- The fresh end is appended by its primary key alone. It stays small, because older rows are sealed.
create table log_fresh (
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
  salt              bytea,
  digest            bytea not null,
  hash              bytea not null,
  erased_at         timestamptz,
  body              text not null,
  constraint log_fresh_pkey primary key (org_id, position)
);

-- A segment has events of one org and one UTC day. Its ten byte strings are those of the format in
-- server/src/system-log/ledger/segments. The other columns repeat what is needed to find it. They may name too many
-- events, but never too few.
--
-- The key ends with the last position: the first segment behind a position is the first one of the index behind it.
create table log_segments (
  org_id             text collate "C" not null,
  last_position      bigint not null,
  first_position     bigint not null,
  events             integer not null,
  first_published    timestamptz not null,
  last_published     timestamptz not null,
  first_persisted_at timestamptz not null,
  last_persisted_at  timestamptz not null,
  head               bytea not null,
  published          bytea not null,
  persisted          bytea not null,
  kinds              bytea not null,
  salts              bytea not null,
  hashes             bytea not null,
  bodies             bytea not null,
  part_ends          bytea not null,
  postings           bytea not null,
  bucket_ends        bytea not null,
  constraint log_segments_pkey primary key (org_id, last_position),
  -- Readers take positions as exact numbers, and the positions of a chain have no gaps.
  constraint log_segments_positions_check check (
    first_position > 0 and first_position <= last_position and last_position < 9007199254740991
  ),
  constraint log_segments_events_check check (events = last_position - first_position + 1),
  -- Times are at most 2^52 microseconds away from 1970, which excludes infinity.
  constraint log_segments_published_check check (
    first_published > '1827-04-16 00:06:13+00' and first_published <= last_published
      and last_published < '2112-09-17 23:53:47+00'
  ),
  constraint log_segments_persisted_at_check check (
    first_persisted_at > '1827-04-16 00:06:13+00' and first_persisted_at <= last_persisted_at
      and last_persisted_at < '2112-09-17 23:53:47+00'
  ),
  constraint log_segments_day_check check (
    date_trunc('day', first_persisted_at at time zone 'UTC') = date_trunc('day', last_persisted_at at time zone 'UTC')
  )
);
create index log_segments_published_idx on log_segments (org_id, last_published);
-- Readers cut out pieces. PostgreSQL finds a piece of a value without the rest of it only if the value is not compressed.
alter table log_segments
  alter column published set storage external, alter column persisted set storage external,
  alter column kinds set storage external, alter column salts set storage external,
  alter column hashes set storage external, alter column bodies set storage external,
  alter column part_ends set storage external, alter column postings set storage external,
  alter column bucket_ends set storage external;

-- The events that are not sealed.
create view log_unsealed as
  select org_id, position, persisted_at, uuid, published, event_type, severity, actor_id, target_ids, outcome_result,
    client_ip_address, transaction_id, tokens, salt, digest, hash, erased_at, body
  from log_events
  union all
  select org_id, position, persisted_at, uuid, published, event_type, severity, actor_id, target_ids, outcome_result,
    client_ip_address, transaction_id, tokens, salt, digest, hash, erased_at, body
  from log_fresh;

do $$
begin
  alter table log_fresh alter column body set compression lz4;
exception when feature_not_supported then
  null; -- this build has pglz only
end $$;
