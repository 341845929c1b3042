-- Sinks of the System Log (event hooks, log streams): each is a cursor over the ledger, run as one job (platform/jobs).

create table log_sinks (
  org_id            text collate "C" not null,
  id                text collate "C" not null,
  kind              text collate "C" not null,
  status            text collate "C" not null,
  -- Everything up to here was delivered, left out or set aside.
  position          bigint not null,
  -- Nothing behind the position was persisted earlier: this bound leaves whole partitions out.
  persisted_at      timestamptz not null,
  -- Raised by every turn and by whoever moves the sink: a runner that lost its lease writes nothing any more.
  fence             bigint not null default 0,
  -- Last event of the batch under way, and how often it was sent: after a crash the same batch is sent again.
  flight_position   bigint,
  flight_attempts   integer not null default 0,
  -- Most events of a batch, while a target refuses larger ones.
  batch_limit       integer,
  failures          integer not null default 0,
  failing_since     timestamptz,
  -- Whether an event about this streak of failures was written.
  failure_told      boolean not null default false,
  next_attempt_at   timestamptz,
  last_error        text,
  last_status       integer,
  last_delivered_at timestamptz,
  -- How many rows each was ever given: numbers of the newest.
  deliveries        bigint not null default 0,
  dead_letters      bigint not null default 0,
  constraint log_sinks_pkey primary key (org_id, id),
  constraint log_sinks_status_check check (status in ('ACTIVE', 'STOPPED')),
  constraint log_sinks_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
) with (fillfactor = 50);

-- Which batches were sent when, and how that ended. Bounded per sink by whoever writes.
create table log_deliveries (
  org_id         text collate "C" not null,
  sink_id        text collate "C" not null,
  number         bigint not null,
  batch_id       uuid not null,
  first_position bigint not null,
  last_position  bigint not null,
  events         integer not null,
  attempt        integer not null,
  outcome        text collate "C" not null,
  status         integer,
  reason         text,
  attempted_at   timestamptz not null,
  milliseconds   integer not null,
  constraint log_deliveries_pkey primary key (org_id, sink_id, number),
  constraint log_deliveries_outcome_check check (outcome in ('DELIVERED', 'FAILED', 'REFUSED')),
  constraint log_deliveries_sink_id_fkey foreign key (org_id, sink_id) references log_sinks (org_id, id) on delete cascade
);

-- What a sink went past without a delivery: an event its target refused, or a range that had left the ledger before.
-- Bodies stay in the ledger.
create table log_dead_letters (
  org_id         text collate "C" not null,
  sink_id        text collate "C" not null,
  number         bigint not null,
  first_position bigint not null,
  last_position  bigint not null,
  uuid           uuid,
  event_type     text collate "C",
  reason         text not null,
  status         integer,
  created_at     timestamptz not null,
  constraint log_dead_letters_pkey primary key (org_id, sink_id, number),
  constraint log_dead_letters_sink_id_fkey foreign key (org_id, sink_id)
    references log_sinks (org_id, id) on delete cascade
);
