-- A recovery link is used up by the new password or the unlocked account, not by the question before it: until then it
-- can be opened again, and begins anew what it began before.
alter table user_recovery_tokens
  -- SHA-256 of the state token that it led to last; null: it was not opened yet.
  add column led_to bytea,
  -- Wrong answers to the question, by whichever opening of the link.
  add column wrong_answers smallint not null default 0;
