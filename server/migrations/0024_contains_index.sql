-- A short list of pending entries: 256 kB are those of some hundred users, which a search reads in half a millisecond
-- and a write merges at once. An import writes a quarter of the log of changes that entries one by one were, and a create
-- costs PostgreSQL half. The default of 4 MB cost more than it saved (0002).
alter index users_contains_idx set (fastupdate = on, gin_pending_list_limit = 256);
