-- Client-initiated backchannel authentication (CIBA): polled for as a device is, and about the user whom its client names.
alter table polled_requests
  add column asked_user_id text collate "C",
  -- Shown to the user, who compares it with what the client shows.
  add column binding_message text,
  -- The level of assurance that the tokens will name.
  add column acr text collate "C",
  drop constraint polled_requests_kind_check,
  add constraint polled_requests_kind_check check (kind in ('DEVICE', 'BACKCHANNEL')),
  add constraint polled_requests_asked_user_check check ((kind = 'BACKCHANNEL') = (asked_user_id is not null)),
  add constraint polled_requests_asked_user_id_fkey foreign key (org_id, asked_user_id)
    references users (org_id, id) on delete cascade;
create index polled_requests_asked_user_id_idx on polled_requests (org_id, asked_user_id)
  where asked_user_id is not null;

alter table authorization_requests drop constraint authorization_requests_kind_check;
alter table authorization_requests
  add constraint authorization_requests_kind_check check (kind in ('INTERACTION', 'PUSHED', 'DEVICE', 'BACKCHANNEL'));
