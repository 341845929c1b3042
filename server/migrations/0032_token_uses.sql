-- Each use of a refresh token moves its end, and with an index on that instant each use wrote all indexes of the table
-- anew. The day of the end moves once a day: all other uses change the row alone (HOT), where its page has room. A build
-- of before sweeps without an index while both run.
alter table refresh_tokens add column idle_expires_on date
  generated always as ((idle_expires_at at time zone 'UTC')::date) stored;
create index refresh_tokens_idle_expires_on_idx on refresh_tokens (idle_expires_on);
drop index refresh_tokens_idle_expires_at_idx;
alter table refresh_tokens set (fillfactor = 85);

-- A code is written once and used once.
alter table authorization_codes set (fillfactor = 70);
