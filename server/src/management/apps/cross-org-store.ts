import type { AppId } from '../../kernel/words/ids.ts';
import { type Db, run } from '../../platform/postgres/index.ts';

/** An app that may receive codes and tokens over an unencrypted connection. */
export interface PlainRedirectApp {
  readonly subdomain: string;
  readonly appId: AppId;
}

/** Lists up to `atMost` apps, in all orgs, that redirect over plain http to hosts other than the user's device. */
export function findPlainRedirectApps(db: Db, atMost: number): Promise<PlainRedirectApp[]> {
  const text = `select o.subdomain, a.id as "appId" from apps a join orgs o on o.id = a.org_id
    where a.sign_on_mode = 'OPENID_CONNECT' and exists (
      select 1 from jsonb_array_elements_text(a.document -> 'settings' -> 'oauthClient' -> 'redirect_uris') as uri
      where uri ~* '^http:' and uri !~* '^http://(localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1\\])([:/?#]|$)')
    order by o.subdomain, a.id limit $1`;
  return run<PlainRedirectApp>(db, text, [atMost]);
}
