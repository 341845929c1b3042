-- An address that a user wants for himself waits as a link that was mailed to it: `mailed_to`, until it is opened.
alter table user_recovery_tokens drop constraint user_recovery_tokens_kind_check;
alter table user_recovery_tokens
  add constraint user_recovery_tokens_kind_check check (
    kind in ('ACTIVATION', 'PASSWORD_RESET', 'UNLOCK', 'EMAIL', 'SECOND_EMAIL'));
