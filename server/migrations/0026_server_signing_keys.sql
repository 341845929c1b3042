-- Each authorization server signs with keys of its own. '' is the org's own server, which is no row; what a build of
-- before makes beside this one is of that server.
alter table signing_keys
  add column server_id text collate "C" not null default '',
  add column custom_server_id text collate "C" generated always as (nullif(server_id, '')) stored,
  drop constraint signing_keys_active_from_key,
  add constraint signing_keys_active_from_key unique (org_id, server_id, active_from),
  add constraint signing_keys_custom_server_id_fkey foreign key (org_id, custom_server_id)
    references authorization_servers (org_id, id) on delete cascade;

-- A scope that is deleted and made anew is another one: tokens from before are of the former. By the database's clock,
-- as instants of issue are.
alter table authorization_server_scopes add column valid_after timestamptz not null default clock_timestamp();

-- The servers that migration 0025 made have no keys, which no migration can make: the job does.
insert into jobs (org_id, kind, payload, dedupe_key, run_at)
select org_id, 'oauth.rotateSigningKeys', jsonb_build_object('serverId', id), 'next:' || id, now()
from authorization_servers;
