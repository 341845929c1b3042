import { createHash } from 'node:crypto';
import type { Gatehouse } from './gatehouse.ts';

export const tokenOf = (number: number): string => `00bench${String(number).padStart(35, '0')}`;

export const orgIdOf = (number: number): string => `00obench${String(number).padStart(12, '0')}`;
/** Returns the host name of the nth added org. Requests to the org contain it in the Host header. */
export const hostnameOf = (number: number): string => `bench${number}.localhost`;

/** Statements that add orgs, each with a user type, the head of its log, and an administrator with a role. */
const STATEMENTS = [
  `create temp table bench_orgs as select n,
     '00obench' || lpad(n::text, 12, '0') as org_id, '00ubench' || lpad(n::text, 12, '0') as user_id,
     'otybench' || lpad(n::text, 12, '0') as type_id, 'oscbench' || lpad(n::text, 12, '0') as schema_id
   from generate_series(1, $1::integer) n`,
  `insert into orgs (id, subdomain, company_name, created_at, last_updated_at)
   select org_id, 'bench' || n, 'Bench', now(), now() from bench_orgs where $1::integer > 0`,
  `insert into user_types (org_id, id, schema_id, name, display_name, is_default, created_at, created_by,
     last_updated_at, last_updated_by)
   select org_id, type_id, schema_id, 'user', 'User', true, now(), 'bench', now(), 'bench'
   from bench_orgs where $1::integer > 0`,
  `insert into log_heads (org_id) select org_id from bench_orgs where $1::integer > 0`,
  `insert into users (org_id, id, type_id, status, login, login_key, short_login_key, normal_form_version, profile,
     provider_type, provider_name, has_password, created_at, last_updated_at)
   select org_id, user_id, type_id, 'ACTIVE', 'admin@example.com', 'admin@example.com', 'admin', 1,
     '{"login": "admin@example.com", "email": "admin@example.com", "firstName": "A", "lastName": "B"}',
     'INTERNAL', 'INTERNAL', false, now(), now()
   from bench_orgs where $1::integer > 0`,
  `insert into user_sign_in (org_id, user_id) select org_id, user_id from bench_orgs where $1::integer > 0`,
  `insert into user_role_assignments (org_id, user_id, id, role_type, created_at, last_updated_at)
   select org_id, user_id, 'ra1bench' || lpad(n::text, 12, '0'), 'SUPER_ADMIN', now(), now()
   from bench_orgs where $1::integer > 0`,
];
const INSERT_TOKENS = `insert into api_tokens (org_id, id, user_id, name, client_name, token_hash, created_at,
    last_updated_at, last_used_at)
  select b.org_id, '00Tbench' || lpad(b.n::text, 12, '0'), b.user_id, 'bench', 'bench', t.hash, now(), now(), now()
  from bench_orgs b join unnest($1::integer[], $2::bytea[]) as t (n, hash) on t.n = b.n`;

export async function addOrgs({ pool }: Pick<Gatehouse, 'pool'>, count: number): Promise<void> {
  const client = await pool.connect();
  try {
    for (const statement of STATEMENTS) await client.query(statement, [count]);
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    const hashes = numbers.map((number) => createHash('sha256').update(tokenOf(number)).digest());
    await client.query(INSERT_TOKENS, [numbers, hashes]);
    await client.query('analyze');
  } finally {
    client.release();
  }
}
