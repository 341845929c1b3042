-- What users prove beside their password. A user has one factor of each kind.
create table user_factors (
  org_id           text collate "C" not null,
  user_id          text collate "C" not null,
  id               text collate "C" not null,
  factor_type      text collate "C" not null,
  provider         text collate "C" not null,
  status           text collate "C" not null,
  -- The key of a security question; null for other kinds.
  question         text collate "C",
  -- The shared secret of one-time codes.
  sealed_secret    bytea,
  -- The hash of the answer to a security question.
  answer           jsonb,
  -- The time step of the newest code that was accepted. Its code and those of earlier steps are refused.
  last_step        bigint,
  -- The time steps by which the clock of the device was ahead when it last sent a right code.
  drift_steps      smallint not null default 0,
  -- The wrong codes, wrong answers and replays since the last right one, and the end of the wait that they have caused.
  wrong_codes      integer not null default 0,
  waits_until      timestamptz,
  created_at       timestamptz not null,
  last_updated_at  timestamptz not null,
  constraint user_factors_pkey primary key (org_id, user_id, id),
  constraint user_factors_factor_type_key unique (org_id, user_id, factor_type, provider),
  constraint user_factors_user_id_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade,
  constraint user_factors_status_check check (status in ('PENDING_ACTIVATION', 'ACTIVE')),
  constraint user_factors_kind_check check (
    (factor_type = 'token:software:totp' and provider in ('OWN', 'GOOGLE') and sealed_secret is not null
      and question is null and answer is null)
    or (factor_type = 'question' and provider = 'OWN' and status = 'ACTIVE' and sealed_secret is null
      and question is not null and answer is not null)),
  constraint user_factors_drift_steps_check check (drift_steps between -1 and 1),
  constraint user_factors_wrong_codes_check check (wrong_codes >= 0)
);
