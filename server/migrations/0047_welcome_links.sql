-- A link that is handed out when a user who has a password is activated: it leads to the sign-in and sets no password.
alter table user_recovery_tokens drop constraint user_recovery_tokens_kind_check;
alter table user_recovery_tokens
  add constraint user_recovery_tokens_kind_check check (
    kind in ('ACTIVATION', 'WELCOME', 'PASSWORD_RESET', 'UNLOCK', 'EMAIL', 'SECOND_EMAIL'));
