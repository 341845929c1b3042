-- What proves the System Log to whoever keeps it elsewhere: signed statements about the chain, and the public halves of
-- the keys that ever signed one. Signing keys themselves are swept away hours after their successor took over.

create table log_checkpoints (
  org_id     text collate "C" not null,
  position   bigint not null,
  hash       bytea not null,
  created_at timestamptz not null,
  -- Compact JWS.
  signed     text not null,
  constraint log_checkpoints_pkey primary key (org_id, position),
  constraint log_checkpoints_position_check check (position > 0),
  constraint log_checkpoints_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

create table log_keys (
  org_id          text collate "C" not null,
  -- RFC 7638 thumbprint.
  kid             text collate "C" not null,
  public_jwk      jsonb not null,
  first_signed_at timestamptz not null,
  constraint log_keys_pkey primary key (org_id, kid),
  constraint log_keys_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);
