-- A row of the fresh end has about 2 kB, so PostgreSQL compressed each body when the relay appended it, and inflated it
-- again when the event was sealed minutes later. Rows of up to a page now stay as they are.
alter table log_fresh set (toast_tuple_target = 8160);
