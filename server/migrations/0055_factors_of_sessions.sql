-- When a second factor was verified, by the node's clock: what the wire shows. Null: the password alone was.
alter table sessions add column last_factor_verified_at timestamptz;

-- As before, with the new column.
create or replace view live_sessions as
  select s.org_id, s.id_hash, s.user_id, s.external_id, s.root_external_id, s.created_at, s.last_refreshed_at,
    s.last_password_verified_at, s.issued_at, s.idle_minutes, s.lifetime_minutes, s.expires_at, s.amr, s.idp_id,
    s.idp_type, s.client_address, s.user_agent, u.login, u.status as user_status, u.profile as user_profile,
    s.last_factor_verified_at
  from sessions s join users u on u.org_id = s.org_id and u.id = s.user_id
  where u.status not in ('STAGED', 'SUSPENDED', 'DEPROVISIONED') and s.issued_at > u.valid_after;
