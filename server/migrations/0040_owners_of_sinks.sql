-- Who sees what is sent: a hook or a stream tells values of attributes while its owner may read them all. Those that are
-- there have none, and go on as they are.
alter table event_hooks add column owner_id text collate "C";
alter table log_streams add column owner_id text collate "C";
