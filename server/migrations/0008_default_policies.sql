-- Orgs made before there were policies get the default policy of each type with its default rule, as new ones do.
insert into policies (org_id, id, type, name, status, priority, system, created_at, last_updated_at)
select o.id,
  '00p' || substr(translate(encode(sha256(gen_random_uuid()::text::bytea), 'base64'), '+/=', 'xyz'), 1, 14)
    || right(o.id, 3),
  d.type, d.name, 'ACTIVE', 1, true, date_trunc('second', now()), date_trunc('second', now())
from orgs o cross join (values ('SIGN_ON', 'Default Policy'), ('IDP_DISCOVERY', 'Idp Discovery Policy'))
  as d (type, name)
where not exists (select from policies p where p.org_id = o.id and p.type = d.type and p.system);

insert into policy_rules
  (org_id, policy_id, id, type, name, status, priority, system, conditions, actions, created_at, last_updated_at)
select p.org_id, p.id,
  '0pr' || substr(translate(encode(sha256(gen_random_uuid()::text::bytea), 'base64'), '+/=', 'xyz'), 1, 14)
    || right(p.org_id, 3),
  p.type, 'Default Rule', 'ACTIVE', 1, true,
  case p.type when 'SIGN_ON' then
    '{"users": {"include": [], "exclude": []}, "network": {"connection": "ANYWHERE", "include": [], "exclude": []},
      "provider": "ANY"}'::jsonb
  else
    '{"network": {"connection": "ANYWHERE", "include": [], "exclude": []},
      "userIdentifier": {"type": "IDENTIFIER", "attribute": null, "patterns": []},
      "app": {"include": [], "exclude": []}, "platform": {"include": [], "exclude": []}}'::jsonb
  end,
  case p.type when 'SIGN_ON' then
    '{"access": "ALLOW", "primaryFactor": "PASSWORD_IDP_ANY_FACTOR", "idleMinutes": 120, "lifetimeMinutes": 0,
      "usePersistentCookie": false}'::jsonb
  else '{"providers": [{"id": null, "type": "INTERNAL"}]}'::jsonb end,
  date_trunc('second', now()), date_trunc('second', now())
from policies p
where p.system and p.type in ('SIGN_ON', 'IDP_DISCOVERY')
  and not exists (select from policy_rules r where r.org_id = p.org_id and r.policy_id = p.id and r.system);
