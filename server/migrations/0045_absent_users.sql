-- Who has said of a client that it may be given tokens for administrators who are not there (ADR 0060).
create table absent_user_approvals (
  org_id           text collate "C" not null,
  app_id           text collate "C" not null,
  id               text collate "C" not null,
  -- A user or a client: asked again with each use, so that it holds only while he does.
  approver_id      text collate "C" not null,
  approver_type    text not null,
  -- What the approver held when he said so.
  held_roles       jsonb not null,
  created_at       timestamptz not null,
  last_updated_at  timestamptz not null,
  revision         integer not null default 1,
  constraint absent_user_approvals_pkey primary key (org_id, app_id, id),
  constraint absent_user_approvals_approver_id_key unique (org_id, app_id, approver_id),
  constraint absent_user_approvals_app_id_fkey foreign key (org_id, app_id) references apps (org_id, id)
    on delete cascade
);

-- What goes on by an exchange of before does not say whether its user was there: where apps could speak for users, he was not.
update refresh_tokens t set details = details || '{"absent": true}'
  where t.grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange' and exists (select from apps a
    where a.org_id = t.org_id
      and a.document -> 'settings' -> 'oauthClient' -> 'grant_types' ? 'urn:ietf:params:oauth:grant-type:jwt-bearer');
