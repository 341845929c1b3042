-- Signing keys of an org's authorization server. Published before it signs, accepted until the last token it signed is over.
create table signing_keys (
  org_id       text collate "C" not null,
  -- RFC 7638 thumbprint.
  kid          text collate "C" not null,
  algorithm    text collate "C" not null,
  public_jwk   jsonb not null,
  sealed_key   bytea not null,
  created_at   timestamptz not null,
  -- Signs from then on, until the next one does.
  active_from  timestamptz not null,
  -- Published and accepted until then; null: no successor yet.
  expires_at   timestamptz,
  constraint signing_keys_pkey primary key (org_id, kid),
  constraint signing_keys_active_from_key unique (org_id, active_from),
  constraint signing_keys_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

-- A client assertion is good once, whichever process sees it.
create table used_assertions (
  org_id     text collate "C" not null,
  client_id  text collate "C" not null,
  jti_hash   bytea not null,
  expires_at timestamptz not null,
  constraint used_assertions_pkey primary key (org_id, client_id, jti_hash),
  constraint used_assertions_client_id_fkey foreign key (org_id, client_id) references apps (org_id, id) on delete cascade
);
create index used_assertions_expires_at_idx on used_assertions (expires_at);

create table revoked_tokens (
  org_id     text collate "C" not null,
  jti_hash   bytea not null,
  expires_at timestamptz not null,
  constraint revoked_tokens_pkey primary key (org_id, jti_hash),
  constraint revoked_tokens_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);
create index revoked_tokens_expires_at_idx on revoked_tokens (expires_at);

-- Which clients hold: the app is active, and a token must have been issued after `valid_after`.
create view live_clients as
  select a.org_id, a.id, a.label, a.application_type, a.valid_after,
    array(select g.scope from app_grants g where g.org_id = a.org_id and g.app_id = a.id order by g.scope) as scopes,
    array(select r.role_type from client_role_assignments r
          where r.org_id = a.org_id and r.client_id = a.id order by r.role_type) as roles
  from apps a where a.status = 'ACTIVE';
