import type { TestClient, TestResponse } from './client.ts';
import { formsIn } from './forms.ts';
import type { TestOrg } from './service.ts';
import { PASSWORD } from './users.ts';

type Fields = Readonly<Record<string, string>>;
type Headers = Readonly<Record<string, string>>;

/**
 * A client that behaves like a browser without scripts, except that it follows no redirects. It keeps cookies and
 * submits forms.
 */
export interface PageClient {
  readonly cookies: Map<string, string>;
  readonly get: (path: string, headers?: Headers) => Promise<TestResponse>;
  /** Posts only the given fields, whereas `submit` adds the form's own. */
  readonly post: (path: string, fields: Fields, headers?: Headers) => Promise<TestResponse>;
  /**
   * Opens a page and finds its first form or, with `action`, the first whose action starts with it. Returns a function
   * that submits this form with its own fields and the given ones.
   */
  readonly open: (page: string, action?: string) => Promise<(fields: Fields) => Promise<TestResponse>>;
  /** Opens a page and submits the form that `open` finds. */
  readonly submit: (page: string, fields: Fields, action?: string) => Promise<TestResponse>;
}

export const setCookies = ({ headers }: TestResponse): Record<string, string> => {
  const lines = [headers['set-cookie'] ?? []].flat();
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
};

export function openPageClient(
  org: Pick<TestOrg, 'baseUrl' | 'client' | 'hostname'>,
  hostname = org.hostname,
): PageClient {
  const client: TestClient = org.client({ accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }, hostname);
  const cookies = new Map<string, string>();
  const origin = org.baseUrl.replace(org.hostname, hostname);
  const cookie = (): Headers =>
    cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  const kept = (response: TestResponse): TestResponse => {
    for (const [name, line] of Object.entries(setCookies(response))) {
      const value = line.split(';')[0] ?? '';
      if (value === '' || line.includes('Max-Age=0')) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  const get: PageClient['get'] = async (path, headers = {}) =>
    kept(await client.get(path, { headers: { ...cookie(), 'sec-fetch-site': 'same-origin', ...headers } }));
  const post: PageClient['post'] = async (path, fields, headers = {}) => {
    const sent = { ...cookie(), origin, 'content-type': 'application/x-www-form-urlencoded', ...headers };
    const kinds = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''));
    return kept(await client.post(path, { raw: new URLSearchParams(fields).toString(), headers: kinds }));
  };
  const open: PageClient['open'] = async (page, action) => {
    const { text } = await get(page);
    const form = formsIn(text).find((one) => action === undefined || one.action.startsWith(action));
    if (form === undefined) throw new Error(`no form to ${action ?? 'anywhere'} in ${page}\n${text.slice(-1_500)}`);
    return (fields) => post(form.action, { ...form.fields, ...fields });
  };
  return {
    cookies,
    get,
    post,
    open,
    submit: async (page, fields, action) => (await open(page, action))(fields),
  };
}

/** Signs in through the sign-in pages. Returns the response to the password form. */
export async function signInByPages(
  browser: PageClient,
  username: string,
  { fromUri = '/', password = PASSWORD }: { readonly fromUri?: string; readonly password?: string } = {},
): Promise<TestResponse> {
  const page = `/signin?fromURI=${encodeURIComponent(fromUri)}`;
  const named = await browser.submit(page, { username });
  return browser.submit(String(named.headers['location']), { password });
}
