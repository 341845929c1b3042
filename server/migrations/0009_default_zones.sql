-- Orgs made before there were zones get the two that every org has.
insert into network_zones (org_id, id, type, name, status, usage, system, document, created_at, last_updated_at)
select o.id,
  'nzo' || substr(translate(encode(sha256((o.id || z.name || gen_random_uuid())::bytea), 'base64'), '+/=', 'xyz'), 1, 14)
    || right(o.id, 3),
  'IP', z.name, 'ACTIVE', z.usage, true, '{"gateways": [], "proxies": null}', date_trunc('second', now()), date_trunc('second', now())
from orgs o cross join (values ('LegacyIpZone', 'POLICY'), ('BlockedIpZone', 'BLOCKLIST')) as z (name, usage);
