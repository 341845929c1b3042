-- Event hooks: addresses of other programs to which events are sent (specification 2.5; contract section 10).
create table event_hooks (
  org_id              text collate "C" not null,
  id                  text collate "C" not null,
  name                text not null,
  description         text,
  status              text collate "C" not null,
  verification_status text collate "C" not null,
  -- Names of event types, and the filters of some of them.
  subscription        jsonb not null,
  -- Address, headers and the name of the header of the secret.
  channel             jsonb not null,
  -- Counts changes of the channel or its secret: a verification that began before one does not hold after it.
  channel_revision    integer not null default 1,
  -- Value of the channel's authentication header; write-only.
  sealed_secret       bytea,
  created_at          timestamptz not null,
  created_by          text collate "C" not null,
  last_updated_at     timestamptz not null,
  constraint event_hooks_pkey primary key (org_id, id),
  constraint event_hooks_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint event_hooks_verification_status_check check (verification_status in ('UNVERIFIED', 'VERIFIED')),
  constraint event_hooks_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);
