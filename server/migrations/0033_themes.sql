-- How an org looks: colours, images, and which of them its pages and mails show.
create table theme_images (
  org_id     text collate "C" not null,
  -- SHA-256 of the content in hexadecimal digits: an address never means another image.
  digest     text collate "C" not null,
  -- As it was found to be, not as the sender called it.
  media_type text collate "C" not null,
  content    bytea not null,
  created_at timestamptz not null,
  constraint theme_images_pkey primary key (org_id, digest),
  constraint theme_images_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade,
  constraint theme_images_digest_check check (digest = encode(sha256(content), 'hex')),
  constraint theme_images_media_type_check check (media_type in (
    'image/png', 'image/jpeg', 'image/gif', 'image/x-icon')),
  constraint theme_images_content_check check (octet_length(content) < 2000000)
);

-- An org without a row has the default theme.
create table themes (
  org_id                  text collate "C" not null,
  -- As #rrggbb; null: ours, and for a contrast colour whichever can be read best.
  primary_color           text collate "C",
  primary_color_contrast  text collate "C",
  secondary_color         text collate "C",
  secondary_color_contrast text collate "C",
  logo                    text collate "C",
  favicon                 text collate "C",
  background_image        text collate "C",
  sign_in_page            text collate "C" not null,
  end_user_dashboard      text collate "C" not null,
  error_page              text collate "C" not null,
  email_template          text collate "C" not null,
  loading_page            text collate "C" not null,
  last_updated_at         timestamptz not null,
  revision                bigint not null,
  constraint themes_pkey primary key (org_id),
  constraint themes_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade,
  constraint themes_logo_fkey foreign key (org_id, logo) references theme_images (org_id, digest),
  constraint themes_favicon_fkey foreign key (org_id, favicon) references theme_images (org_id, digest),
  constraint themes_background_image_fkey foreign key (org_id, background_image)
    references theme_images (org_id, digest),
  constraint themes_sign_in_page_check check (sign_in_page in (
    'DEFAULT', 'BACKGROUND_SECONDARY_COLOR', 'BACKGROUND_IMAGE')),
  constraint themes_end_user_dashboard_check check (end_user_dashboard in (
    'DEFAULT', 'FULL_THEME', 'LOGO_ON_FULL_WHITE_BACKGROUND', 'WHITE_LOGO_BACKGROUND')),
  constraint themes_error_page_check check (error_page in (
    'DEFAULT', 'BACKGROUND_SECONDARY_COLOR', 'BACKGROUND_IMAGE')),
  constraint themes_email_template_check check (email_template in ('DEFAULT', 'FULL_THEME')),
  constraint themes_loading_page_check check (loading_page in ('DEFAULT', 'NONE'))
);

-- What orgs had as settings. An SVG or WebP is left behind: themes take PNG, JPG and GIF.
insert into theme_images (org_id, digest, media_type, content, created_at)
select id, encode(sha256(content), 'hex'), media_type, content, last_updated_at
from (
  select id, last_updated_at, substring(settings ->> 'brandLogo' from '^data:(image/(?:png|jpeg|gif));') as media_type,
    case when settings ->> 'brandLogo' ~ '^data:image/(png|jpeg|gif);base64,([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'
      then decode(split_part(settings ->> 'brandLogo', ',', 2), 'base64') end as content
  from orgs where settings ? 'brandLogo'
) as logos
where content is not null;

insert into themes (org_id, primary_color, logo, sign_in_page, end_user_dashboard, error_page, email_template,
  loading_page, last_updated_at, revision)
select o.id, case when o.settings ->> 'brandColour' ~* '^#[0-9a-f]{6}$' then o.settings ->> 'brandColour' end, i.digest,
  'BACKGROUND_SECONDARY_COLOR', 'LOGO_ON_FULL_WHITE_BACKGROUND', 'BACKGROUND_SECONDARY_COLOR', 'DEFAULT', 'DEFAULT',
  o.last_updated_at, 2
from orgs o left join theme_images i on i.org_id = o.id
where o.settings ? 'brandColour' or i.digest is not null;

-- Who gets the mails of a template; without a row everybody does.
create table email_template_settings (
  org_id          text collate "C" not null,
  template        text collate "C" not null,
  recipients      text collate "C" not null,
  last_updated_at timestamptz not null,
  revision        bigint not null,
  constraint email_template_settings_pkey primary key (org_id, template),
  constraint email_template_settings_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade,
  constraint email_template_settings_template_check check (template in (
    'AccountLockout', 'ForgotPassword', 'SelfServiceUnlock', 'UserActivation')),
  constraint email_template_settings_recipients_check check (recipients in ('ALL_USERS', 'ADMINS_ONLY', 'NO_USERS'))
);
