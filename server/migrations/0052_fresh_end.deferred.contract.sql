-- From here on, the relay appends to log_fresh (ADR 0081). This is applied when no process runs whose version appends to
-- log_events only (ADR 0070). The new name is the fence: a process of such a version that comes back nevertheless knows
-- the old name only, so it fails instead of appending behind events that are fresh or sealed. The view log_unsealed
-- follows the table, and partitions keep their names. Nothing is dropped here.
--
-- While the rename waits for its lock, readers and the relay queue behind it. So it gives up soon, and is tried again.
set local lock_timeout = '150ms';
alter table log_events rename to log_older;
alter table log_older rename constraint log_events_pkey to log_older_pkey;
comment on table log_older is 'Events from before the switch to log_fresh, until they are sealed or leave.';
