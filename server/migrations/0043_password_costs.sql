-- What it costs to check a password: of which kind the work is, and how many units it has (cost-model.ts says the same).
-- Who signs in in vain waits as long as the dearest of the org takes: one row of an index says which that is.
create function password_cost_kind(password jsonb) returns text language sql immutable parallel safe as $$
  select case password ->> 'algorithm'
    when 'ARGON2ID' then 'ARGON2ID'
    when 'BCRYPT' then 'BCRYPT'
    when 'SCRYPT' then 'SCRYPT'
    when 'PBKDF2' then password ->> 'digestAlgorithm'
    else 'DIGEST'
  end collate "C"
$$;

create function password_cost_units(password jsonb) returns bigint language sql immutable parallel safe as $$
  select coalesce((case password ->> 'algorithm'
    when 'ARGON2ID' then substring(password ->> 'encoded' from 'm=(\d{1,7}),')::numeric
      * substring(password ->> 'encoded' from ',t=(\d{1,3}),')::numeric
    when 'BCRYPT' then power(2, least((password -> 'workFactor')::numeric, 31))
    when 'SCRYPT' then (password -> 'cost')::numeric * (password -> 'blockSize')::numeric
      * (password -> 'parallelization')::numeric
    when 'PBKDF2' then (password -> 'iterationCount')::numeric * ceil((password -> 'keySize')::numeric
      / case password ->> 'digestAlgorithm' when 'SHA1_HMAC' then 20 when 'SHA256_HMAC' then 32 else 64 end)
    else 1
  end)::bigint, 1)
$$;

create index user_sign_in_cost_idx on user_sign_in
  (org_id, password_cost_kind(password), password_cost_units(password)) where password is not null;
