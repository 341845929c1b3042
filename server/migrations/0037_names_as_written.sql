-- Names are stored as they were written: two spellings of the same characters (UAX 15) are one name. What was stored
-- until now is composed already, so that no two rows meet here.
alter table trusted_origins drop constraint trusted_origins_name_key;
create unique index trusted_origins_name_key on trusted_origins (org_id, normalize(name, nfc));

alter table network_zones drop constraint network_zones_name_key;
create unique index network_zones_name_key on network_zones (org_id, normalize(name, nfc));

alter table identity_providers drop constraint identity_providers_name_key;
create unique index identity_providers_name_key on identity_providers (org_id, normalize(name, nfc));

alter table policies drop constraint policies_name_key;
create unique index policies_name_key on policies (org_id, type, normalize(name, nfc));

alter table policy_rules drop constraint policy_rules_name_key;
create unique index policy_rules_name_key on policy_rules (org_id, policy_id, normalize(name, nfc));

alter table log_streams drop constraint log_streams_name_key;
create unique index log_streams_name_key on log_streams (org_id, normalize(name, nfc));

alter table group_rules drop constraint group_rules_name_key;
create unique index group_rules_name_key on group_rules (org_id, normalize(name, nfc));

alter table custom_roles drop constraint custom_roles_label_key;
create unique index custom_roles_label_key on custom_roles (org_id, normalize(label, nfc));

alter table resource_sets drop constraint resource_sets_label_key;
create unique index resource_sets_label_key on resource_sets (org_id, normalize(label, nfc));

alter table behaviors drop constraint behaviors_name_key;
create unique index behaviors_name_key on behaviors (org_id, normalize(name, nfc));

alter table authorization_servers drop constraint authorization_servers_name_key;
create unique index authorization_servers_name_key on authorization_servers (org_id, normalize(name, nfc));

alter table authorization_server_claims drop constraint authorization_server_claims_name_key;
create unique index authorization_server_claims_name_key
  on authorization_server_claims (org_id, server_id, claim_type, normalize(name, nfc));

alter table authorization_server_policies drop constraint authorization_server_policies_name_key;
create unique index authorization_server_policies_name_key
  on authorization_server_policies (org_id, server_id, normalize(name, nfc));

alter table authorization_server_rules drop constraint authorization_server_rules_name_key;
create unique index authorization_server_rules_name_key
  on authorization_server_rules (org_id, server_id, policy_id, normalize(name, nfc));
