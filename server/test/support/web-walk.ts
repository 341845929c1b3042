import { Agent, type Dispatcher, request } from 'undici';
import { firstFormIn } from './forms.ts';

export interface WebPage {
  readonly url: URL;
  readonly status: number;
  readonly html: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A browser without scripts. It keeps cookies, follows redirects and submits forms. */
export interface WebWalk {
  /**
   * Opens a page and follows redirects. At a URL for which `stopsAt` returns true, sends no request but returns a page
   * with status 0.
   */
  readonly go: (url: string | URL) => Promise<WebPage>;
  /** Submits the page's first form with its current values and the given ones, and follows redirects as `go` does. */
  readonly submit: (page: WebPage, values: Readonly<Record<string, string>>) => Promise<WebPage>;
  readonly cookies: (url: string | URL) => ReadonlyMap<string, string>;
  readonly setCookie: (url: string | URL, name: string, value: string) => void;
  readonly close: () => Promise<void>;
}

export interface WebWalkOptions {
  readonly ca: string;
  readonly stopsAt?: (url: URL) => boolean;
}

const MOST_REDIRECTS = 20;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
type Headers = Dispatcher.ResponseData['headers'];

/** Opens a browser without scripts that trusts the test's CA. It resolves all host names to this machine. */
export function openWebWalk({ ca, stopsAt = () => false }: WebWalkOptions): WebWalk {
  const agent = new Agent({
    connect: { ca, lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) },
  });
  const jars = new Map<string, Map<string, string>>();
  // Cookies do not distinguish ports (RFC 6265 8.5).
  const jarOf = (url: URL): Map<string, string> => {
    const jar = jars.get(url.hostname) ?? new Map<string, string>();
    jars.set(url.hostname, jar);
    return jar;
  };

  function keepCookies(url: URL, headers: Headers): void {
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const [pair = ''] = line.split(';');
      const name = pair.slice(0, pair.indexOf('='));
      const value = pair.slice(pair.indexOf('=') + 1);
      if (/;\s*max-age=0/i.test(line) || value === '') jarOf(url).delete(name);
      else jarOf(url).set(name, value);
    }
  }

  async function ask(first: URL, method: 'GET' | 'POST', form: URLSearchParams | null, from: URL | null) {
    let url = first;
    let verb = method;
    let body = form;
    for (let turn = 0; turn < MOST_REDIRECTS; turn += 1) {
      if (stopsAt(url)) return { url, status: 0, html: '', headers: {} };
      const cookie = [...jarOf(url)].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await request(url, {
        dispatcher: agent,
        method: verb,
        headers: {
          accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
          'accept-language': 'en',
          ...(cookie === '' ? {} : { cookie }),
          ...(body === null || from === null
            ? {}
            : { 'content-type': 'application/x-www-form-urlencoded', origin: from.origin }),
        },
        body: body === null ? null : body.toString(),
      });
      keepCookies(url, answer.headers);
      const html = await answer.body.text();
      const location = answer.headers['location']?.toString();
      if (!REDIRECTS.has(answer.statusCode) || location === undefined) {
        return { url, status: answer.statusCode, html, headers: answer.headers };
      }
      url = new URL(location, url);
      if (answer.statusCode !== 307 && answer.statusCode !== 308) [verb, body] = ['GET', null];
    }
    throw new Error(`more than ${MOST_REDIRECTS} redirects, the last one to ${url.href}`);
  }

  return {
    go: (url) => ask(new URL(url), 'GET', null, null),
    submit: (page, values) => {
      const { action, fields, method } = firstFormIn(page.html);
      const form = new URLSearchParams({ ...fields, ...values });
      const address = new URL(action, page.url);
      if (method === 'POST') return ask(address, 'POST', form, page.url);
      address.search = form.toString();
      return ask(address, 'GET', null, null);
    },
    cookies: (url) => jarOf(new URL(url)),
    setCookie: (url, name, value) => void jarOf(new URL(url)).set(name, value),
    close: () => agent.close(),
  };
}
