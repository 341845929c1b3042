-- Names in apps that access tokens of custom servers have borne as `sub`: whose it was, it stays as long as he is there.
create table token_subjects (
  org_id       text collate "C" not null,
  -- SHA-256 of the name's normal form (kernel/text.ts: loginKey), base64url.
  subject_hash text collate "C" not null,
  user_id      text collate "C" not null,
  created_at   timestamptz not null,
  constraint token_subjects_pkey primary key (org_id, subject_hash),
  constraint token_subjects_user_id_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade
);
create index token_subjects_user_id_idx on token_subjects (org_id, user_id);

-- Who is called so in any app: asked for every new login.
create index app_users_name_idx on app_users (org_id, user_name_key) where user_name_key is not null;
