-- A refresh token that was given for a token of another family ends with that family, and with the token itself.
alter table refresh_tokens
  add column parent_id text collate "C",
  -- SHA-256 of the jti of what was exchanged.
  add column subject_hash bytea,
  add constraint refresh_tokens_parent_id_fkey foreign key (org_id, parent_id) references refresh_tokens (org_id, id)
    on delete cascade;
create index refresh_tokens_parent_id_idx on refresh_tokens (org_id, parent_id) where parent_id is not null;
create index refresh_tokens_subject_hash_idx on refresh_tokens (org_id, subject_hash) where subject_hash is not null;
