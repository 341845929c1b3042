import type { AnyRoute } from '../../src/platform/http/index.ts';
import type { TestResponse } from './client.ts';

/** An address in a response. `methods` is null if the response implies no method for the address. */
export interface HandedOut {
  readonly place: string;
  readonly url: URL;
  readonly methods: readonly string[] | null;
}

const IS_ADDRESS =
  /^(?:href|\w+:idp:metadata|linkUrl|logoUrl|logo|favicon|backgroundImage|activationUrl|resetPasswordUrl)$/;
/**
 * The names of members that contain an address, in metadata documents (RFC 8414, OpenID Connect Discovery) and in
 * responses from OAuth endpoints.
 */
const IS_ENDPOINT = /_(?:endpoint|iframe)$|^(?:jwks_uri|registration_client_uri|verification_uri(?:_complete)?)$/;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the methods that a link names in `method` or in `hints.allow`, or null if it names none. */
function methodsOf({ hints, method }: Readonly<Record<string, unknown>>): readonly string[] | null {
  if (typeof method === 'string') return [method];
  const allow = isRecord(hints) ? hints['allow'] : undefined;
  return Array.isArray(allow) ? allow.map(String) : null;
}

type Found = readonly [place: string, address: string, methods: readonly string[] | null];

/** The names of members that contain examples or values from clients. Addresses in these members need not work. */
const IS_WRITTEN = /^(?:profile|settings|target|debugContext|claims|jwks|schemas)$/;

function* inBody(value: unknown, place: string): Generator<Found> {
  if (Array.isArray(value)) {
    for (const item of value) yield* inBody(item, place);
    return;
  }
  if (!isRecord(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'object') {
      if (!IS_WRITTEN.test(name)) yield* inBody(member, `${place}.${name}`);
    } else if (typeof member === 'string' && (IS_ADDRESS.test(name) || IS_ENDPOINT.test(name))) {
      yield [`${place}.${name}`, member, name === 'href' ? methodsOf(value) : null];
    }
  }
}

const unescaped = (text: string): string => text.replaceAll('&amp;', '&').replaceAll('&#38;', '&');

function* inText(text: string): Generator<Found> {
  for (const [, name = '', address = ''] of text.matchAll(/\s(href|src|action|Location)="([^"]*)"/g)) {
    const methods = name === 'action' ? ['POST'] : ['GET'];
    yield [name, unescaped(address), name === 'Location' ? null : methods];
  }
}

function* inHeaders({ headers }: TestResponse): Generator<Found> {
  const { location, link } = headers;
  if (typeof location === 'string') yield ['Location', location, ['GET']];
  for (const [, address = ''] of [link ?? []]
    .flat()
    .join()
    .matchAll(/<([^>]*)>/g))
    yield ['Link', address, ['GET']];
}

/** Returns the addresses in a response that point to this service. */
export function handedOutBy(response: TestResponse, asked: string): HandedOut[] {
  const base = new URL(asked);
  const isMarkup = /html|xml/.test(String(response.headers['content-type']));
  const found = [...inHeaders(response), ...(isMarkup ? inText(response.text) : inBody(response.body, ''))];
  return found.flatMap(([place, address, methods]) => {
    if (!URL.canParse(address, base)) return [];
    const url = new URL(address, base);
    return url.port === base.port && url.hostname === base.hostname ? [{ place, url, methods }] : [];
  });
}

type MethodsAt = (pathname: string) => ReadonlySet<string>;

const known = new WeakMap<readonly AnyRoute[], MethodsAt>();

const depthOf = (path: string): number => path.split('/').length;

export function methodsAt(routes: readonly AnyRoute[], pathname: string): ReadonlySet<string> {
  const ready = known.get(routes);
  if (ready !== undefined) return ready(pathname);
  const byDepth = new Map<number, { readonly method: string; readonly pattern: RegExp }[]>();
  for (const { method, url } of routes) {
    const pattern = new RegExp(`^${url.replaceAll('.', String.raw`\.`).replaceAll(/:\w+/g, '[^/]+')}$`);
    byDepth.set(depthOf(url), [...(byDepth.get(depthOf(url)) ?? []), { method, pattern }]);
  }
  const find: MethodsAt = (path) => {
    const own = byDepth.get(depthOf(path)) ?? [];
    return new Set(own.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])));
  };
  known.set(routes, find);
  return find(pathname);
}

/** Lists addresses in a response that have no route for their path, or none for a method that the response implies. */
export function deadAddressesIn(
  routes: readonly AnyRoute[],
  response: TestResponse,
  origin: string,
  path: string,
): string[] {
  return handedOutBy(response, URL.canParse(path, origin) ? new URL(path, origin).href : origin).flatMap(
    ({ methods, place, url }) => {
      const served = methodsAt(routes, url.pathname);
      const missing = methods === null ? (served.size === 0 ? ['any'] : []) : methods.filter((one) => !served.has(one));
      return missing.length === 0 ? [] : [`${place} ${url.pathname} (${missing.join(', ')})`];
    },
  );
}
