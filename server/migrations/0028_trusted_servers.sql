-- Whose tokens a custom authorization server takes in exchange for its own.
create table authorization_server_trusts (
  org_id            text collate "C" not null,
  server_id         text collate "C" not null,
  trusted_server_id text collate "C" not null,
  created_at        timestamptz not null,
  constraint authorization_server_trusts_pkey primary key (org_id, server_id, trusted_server_id),
  constraint authorization_server_trusts_self_check check (server_id <> trusted_server_id),
  constraint authorization_server_trusts_server_id_fkey foreign key (org_id, server_id)
    references authorization_servers (org_id, id) on delete cascade,
  constraint authorization_server_trusts_trusted_server_id_fkey foreign key (org_id, trusted_server_id)
    references authorization_servers (org_id, id) on delete cascade
);
create index authorization_server_trusts_trusted_server_id_idx
  on authorization_server_trusts (org_id, trusted_server_id);
