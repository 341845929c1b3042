-- Log streams: where the events of an org go as they are committed (specification 2.5; contract section 10).
create table log_streams (
  org_id          text collate "C" not null,
  id              text collate "C" not null,
  type            text collate "C" not null,
  name            text collate "C" not null,
  status          text collate "C" not null,
  -- By type, without the secret; its member `type` is the column's value.
  settings        jsonb not null,
  -- Token or HMAC secret; write-only.
  sealed_secret   bytea,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  constraint log_streams_pkey primary key (org_id, id),
  constraint log_streams_name_key unique (org_id, name),
  constraint log_streams_type_check check (type in (
    'aws_eventbridge', 'splunk_cloud_logstreaming', 'https_ndjson', 'file_ndjson')),
  constraint log_streams_settings_check check (settings ->> 'type' = type),
  constraint log_streams_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint log_streams_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);
