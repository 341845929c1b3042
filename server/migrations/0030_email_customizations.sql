-- What an org says in its mails instead of us: one text for each template and language, one of them the default.
create table email_customizations (
  org_id          text collate "C" not null,
  id              text collate "C" not null,
  template        text collate "C" not null,
  -- As RFC 5646 writes it.
  language        text collate "C" not null,
  -- For readers of all other languages.
  is_default      boolean not null,
  subject         text not null,
  body            text not null,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  revision        bigint not null default 1,
  constraint email_customizations_pkey primary key (org_id, id),
  constraint email_customizations_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade,
  constraint email_customizations_language_key unique (org_id, template, language),
  constraint email_customizations_template_check check (template in (
    'AccountLockout', 'ForgotPassword', 'SelfServiceUnlock', 'UserActivation'))
);
create unique index email_customizations_default_key on email_customizations (org_id, template) where is_default;
