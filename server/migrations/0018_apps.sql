-- Apps of every sign-on mode, no longer OAuth clients alone.
alter table apps alter column application_type drop not null;
-- The one password that people share in the app.
alter table apps add column sealed_password bytea;

-- The number in the name of the next custom app of an org.
create table app_numbers (
  org_id      text collate "C" not null,
  last_number integer not null,
  constraint app_numbers_pkey primary key (org_id),
  constraint app_numbers_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

-- Keys that sign the assertions of apps, with their certificates; which one signs now stands in the app's document.
create table app_signing_keys (
  org_id          text collate "C" not null,
  app_id          text collate "C" not null,
  -- RFC 7638 thumbprint; the same in every app that the key was copied to.
  kid             text collate "C" not null,
  jwk             jsonb not null,
  sealed_key      bytea not null,
  expires_at      timestamptz not null,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  constraint app_signing_keys_pkey primary key (org_id, app_id, kid),
  constraint app_signing_keys_app_id_fkey foreign key (org_id, app_id) references apps (org_id, id) on delete cascade
);

-- Requests for certificates of keys that their apps do not have before the certificate is published.
create table app_csrs (
  org_id     text collate "C" not null,
  app_id     text collate "C" not null,
  -- RFC 7638 thumbprint of the key.
  id         text collate "C" not null,
  -- PKCS #10 in DER.
  request    bytea not null,
  sealed_key bytea not null,
  created_at timestamptz not null,
  constraint app_csrs_pkey primary key (org_id, app_id, id),
  constraint app_csrs_app_id_fkey foreign key (org_id, app_id) references apps (org_id, id) on delete cascade
);

create table app_logos (
  org_id     text collate "C" not null,
  app_id     text collate "C" not null,
  -- New with each upload: an address never means another image.
  id         text collate "C" not null,
  -- As it was found to be, not as the sender called it.
  media_type text collate "C" not null,
  content    bytea not null,
  created_at timestamptz not null,
  constraint app_logos_pkey primary key (org_id, app_id),
  constraint app_logos_id_key unique (org_id, id),
  constraint app_logos_media_type_check check (media_type in ('image/png', 'image/jpeg', 'image/gif', 'image/svg+xml')),
  constraint app_logos_app_id_fkey foreign key (org_id, app_id) references apps (org_id, id) on delete cascade
);

-- Policies that apps were put under; without a row the default of the type counts.
create table app_policies (
  org_id    text collate "C" not null,
  app_id    text collate "C" not null,
  -- ACCESS_POLICY, PROFILE_ENROLLMENT.
  type      text collate "C" not null,
  policy_id text collate "C" not null,
  constraint app_policies_pkey primary key (org_id, app_id, type),
  constraint app_policies_app_id_fkey foreign key (org_id, app_id) references apps (org_id, id) on delete cascade,
  constraint app_policies_policy_id_fkey foreign key (org_id, policy_id)
    references policies (org_id, id) on delete cascade
);
create index app_policies_policy_id_idx on app_policies (org_id, policy_id, app_id);

-- How accounts of an app are managed from here.
create table app_provisioning (
  org_id       text collate "C" not null,
  app_id       text collate "C" not null,
  status       text collate "C" not null,
  base_url     text,
  -- Proves this service to the app.
  sealed_token bytea,
  -- Capabilities by the name of the feature.
  features     jsonb not null default '{}',
  revision     bigint not null default 1,
  constraint app_provisioning_pkey primary key (org_id, app_id),
  constraint app_provisioning_status_check check (status in ('ENABLED', 'DISABLED')),
  constraint app_provisioning_app_id_fkey foreign key (org_id, app_id) references apps (org_id, id) on delete cascade
);
