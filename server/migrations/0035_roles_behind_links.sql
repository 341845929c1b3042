-- What the user of a link, a sign-in under way or a session token held when it was made: whoever holds more by the time of
-- its use can't use it. Null: made by an older version, for somebody without a role.
alter table user_recovery_tokens
  add column held_roles jsonb,
  -- Who had it made, asked again at its use (LinkMaker, access/maker.ts). Null: an older version did; nobody may use it.
  add column maker jsonb,
  -- The address that it was mailed to; null: it was handed to its maker.
  add column mailed_to text collate "C";
alter table authentication_transactions add column held_roles jsonb;
alter table session_tokens add column held_roles jsonb;

-- The mailed links of an org, for the walk that renews those of new administrators.
create index user_recovery_tokens_mailed_idx on user_recovery_tokens (org_id, token_hash) where mailed_to is not null;
