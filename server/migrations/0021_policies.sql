-- Detections of unusual sign-ins, as objects that rules may name.
create table behaviors (
  org_id          text collate "C" not null,
  id              text collate "C" not null,
  type            text collate "C" not null,
  name            text collate "C" not null,
  status          text collate "C" not null,
  settings        jsonb not null,
  created_at      timestamptz not null,
  last_updated_at timestamptz not null,
  revision        bigint not null default 1,
  constraint behaviors_pkey primary key (org_id, id),
  constraint behaviors_name_key unique (org_id, name),
  constraint behaviors_status_check check (status in ('ACTIVE', 'INACTIVE')),
  constraint behaviors_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

-- Whom sign-on policies and their rules are for, now that there are groups: everyone, as it was.
update policies set conditions = '{"groups": {"include": [], "exclude": []}}' where type = 'SIGN_ON' and conditions is null;
update policy_rules set conditions = conditions || '{"groups": {"include": [], "exclude": []}}'
where type = 'SIGN_ON' and not conditions ? 'groups';

-- Orgs made before there were these types get the default policy of each with its default rule, as new ones do.
with standard as (
  select * from (values
  ('PASSWORD', '00p', '0pr', 'Default Policy', 'Default Rule',
    '{"groups": {"include": [], "exclude": []}, "authProvider": "ANY"}'::jsonb,
    '{"complexity": {"minLength": 8, "minLowerCase": 1, "minUpperCase": 1, "minNumber": 1, "minSymbol": 0,
        "excludeUsername": true, "excludeAttributes": [], "dictionary": {"common": {"exclude": false}},
        "maxConsecutiveCharacters": 0},
      "age": {"maxAgeDays": 0, "expireWarnDays": 0, "minAgeMinutes": 0, "historyCount": 4},
      "lockout": {"maxAttempts": 10, "autoUnlockMinutes": 0, "showLockoutFailures": false,
        "userLockoutNotificationChannels": []},
      "recovery": {"question": {"isActive": true, "minLength": 4},
        "email": {"isActive": true, "tokenLifetimeMinutes": 60},
        "sms": {"isActive": false}, "call": {"isActive": false}},
      "delegation": {"skipUnlock": false}}'::jsonb,
    '{"people": {"users": {"include": [], "exclude": []}, "groups": {"include": [], "exclude": []}},
      "network": {"connection": "ANYWHERE", "include": [], "exclude": []}}'::jsonb,
    '{"passwordChange": "ALLOW", "selfServicePasswordReset": "ALLOW", "selfServiceUnlock": "ALLOW",
      "requirement": null, "allowsUnenrolledEmail": null}'::jsonb),
  ('MFA_ENROLL', '00p', '0pr', 'Default Policy', 'Default Rule',
    '{"groups": {"include": [], "exclude": []}}'::jsonb,
    '{"type": "AUTHENTICATORS", "authenticators": [{"key": "{word}_email", "enroll": {"self": "OPTIONAL"}},
      {"key": "{word}_password", "enroll": {"self": "REQUIRED"}}]}'::jsonb,
    '{"people": {"users": {"include": [], "exclude": []}, "groups": {"include": [], "exclude": []}},
      "network": {"connection": "ANYWHERE", "include": [], "exclude": []}}'::jsonb,
    '{"enroll": {"self": "CHALLENGE"}}'::jsonb),
  ('ACCESS_POLICY', 'rst', 'rul', 'Default Policy', 'Catch-all Rule', null::jsonb, null::jsonb, null::jsonb,
    '{"appSignOn": {"access": "ALLOW",
      "verificationMethod": {"type": "ASSURANCE", "factorMode": "1FA", "reauthenticateIn": "PT12H"},
      "keepMeSignedIn": {"postAuth": "NOT_ALLOWED"}}}'::jsonb),
  ('PROFILE_ENROLLMENT', 'rst', 'rul', 'Default Policy', 'Catch-all Rule', null::jsonb, null::jsonb, null::jsonb,
    '{"profileEnrollment": {"access": "ALLOW",
      "profileAttributes": [{"name": "email", "label": "Email", "required": true},
        {"name": "firstName", "label": "First name", "required": true},
        {"name": "lastName", "label": "Last name", "required": true}],
      "targetGroupIds": null, "unknownUserAction": "DENY", "activationRequirements": {"emailVerification": true},
      "progressiveProfilingAction": "DISABLED", "allowedIdentifiers": ["login"]}}'::jsonb),
  ('POST_AUTH_SESSION', 'rst', 'rul', 'Post Auth Session Policy', 'Catch-all Rule', null::jsonb, null::jsonb,
    null::jsonb, '{"postAuthSession": {"failureActions": []}}'::jsonb),
  ('ENTITY_RISK', 'rst', 'rul', 'Entity Risk Policy', 'Catch-all Rule', null::jsonb, null::jsonb, null::jsonb,
    '{"entityRisk": {"actions": []}}'::jsonb),
  ('SESSION_VIOLATION_DETECTION', 'rst', 'rul', 'Session Violation Detection Policy', 'Catch-all Rule', null::jsonb,
    null::jsonb, null::jsonb, '{"sessionViolationDetection": {"policyEvaluation": {"enabled": true}}}'::jsonb),
  ('CLIENT_UPDATE', 'rst', 'rul', 'Client Update Policy', 'Catch-all Rule', null::jsonb, null::jsonb, null::jsonb,
    '{"updateControls": {"actions": [{"action": "{WORD}_VERIFY_UPDATE", "value": "ALLOW"}]}}'::jsonb),
  ('IDENTITY_CLAIM_SOURCING', 'rst', 'rul', 'Identity Claim Sourcing Policy', 'Catch-all Rule', null::jsonb,
    null::jsonb, null::jsonb,
    '{"claimSourcing": {"redirectType": "IDP_DISCOVERY", "refresh": {"redirectType": "NONE"}}}'::jsonb)
) as d (type, policy_prefix, rule_prefix, name, rule_name, conditions, settings, rule_conditions, rule_actions)
), made as (
  insert into policies
    (org_id, id, type, name, status, priority, system, conditions, settings, created_at, last_updated_at)
  select o.id,
    d.policy_prefix
      || substr(translate(encode(sha256(gen_random_uuid()::text::bytea), 'base64'), '+/=', 'xyz'), 1, 14)
      || right(o.id, 3),
    d.type, d.name, 'ACTIVE', 1, true, d.conditions, d.settings, date_trunc('second', now()), date_trunc('second', now())
  from orgs o cross join standard d
  where not exists (select from policies p where p.org_id = o.id and p.type = d.type and p.system)
  returning org_id, id, type, created_at
)
insert into policy_rules
  (org_id, policy_id, id, type, name, status, priority, system, conditions, actions, created_at, last_updated_at)
select m.org_id, m.id,
  d.rule_prefix || substr(translate(encode(sha256(gen_random_uuid()::text::bytea), 'base64'), '+/=', 'xyz'), 1, 14)
    || right(m.org_id, 3),
  m.type, d.rule_name, 'ACTIVE', 1, true, d.rule_conditions, d.rule_actions, m.created_at, m.created_at
from made m join standard d on d.type = m.type;
