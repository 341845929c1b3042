import type { AppId, OrgId } from '../../kernel/words/ids.ts';
import { type Db, run } from '../../platform/postgres/index.ts';
import type { NameTemplate } from './names/user-names.ts';

/** A user whose name in an app also identifies another user, an app or a client. */
export interface Misnamed {
  readonly subdomain: string;
  readonly appId: AppId;
  readonly userId: string;
}

/**
 * Finds at most `atMost` users, in all orgs, whose own name in an OpenID Connect app is another user's login or id,
 * another user's name in the app, the id of an app, or a present or former client id.
 */
export function findMisnamed(db: Db, atMost: number): Promise<Misnamed[]> {
  const text = `select o.subdomain, n.app_id as "appId", n.user_id as "userId"
    from app_users n join apps a on a.org_id = n.org_id and a.id = n.app_id join orgs o on o.id = n.org_id
    where n.user_name_key is not null and a.sign_on_mode = 'OPENID_CONNECT' and (
      exists (select 1 from users u where u.org_id = n.org_id and u.login_key = n.user_name_key and u.id <> n.user_id)
      or exists (select 1 from users u where u.org_id = n.org_id and u.id = n.user_name and u.id <> n.user_id)
      or exists (select 1 from apps c where c.org_id = n.org_id and c.id = n.user_name)
      or exists (select 1 from client_ids c where c.org_id = n.org_id and c.name_key = n.user_name_key)
      or exists (select 1 from app_users t where t.org_id = n.org_id and t.app_id = n.app_id
        and t.user_name_key = n.user_name_key and t.user_id <> n.user_id))
    order by o.subdomain, n.app_id, n.user_id limit $1`;
  return run<Misnamed>(db, text, [atMost]);
}

export interface NamingApp {
  readonly subdomain: string;
  readonly orgId: OrgId;
  readonly appId: AppId;
  readonly template: NameTemplate;
}

/**
 * Finds at most `atMost` OpenID Connect apps, in all orgs, that make names by a template other than `${source.login}`.
 */
export function readNamingApps(db: Db, atMost: number): Promise<NamingApp[]> {
  const text = `select o.subdomain, a.org_id as "orgId", a.id as "appId",
      a.document -> 'credentials' -> 'userNameTemplate' as template
    from apps a join orgs o on o.id = a.org_id
    where a.sign_on_mode = 'OPENID_CONNECT'
      and a.document -> 'credentials' -> 'userNameTemplate' ->> 'template' <> '\${source.login}'
      and coalesce(a.document -> 'credentials' -> 'userNameTemplate' ->> 'type', '') <> 'NONE'
    order by o.subdomain, a.id limit $1`;
  return run<NamingApp>(db, text, [atMost]);
}
