import { type AnyRoute, MAXIMUM_BODY_BYTES } from '../../src/platform/http/index.ts';
import type { RequestOptions } from '../support/client.ts';
import { isRecord, type JsonRecord } from '../support/contract-schema.ts';
import type { TestOrg } from '../support/service.ts';
import { address, bodyOf } from '../sweeps/route-bodies.ts';
import { worstBodies } from '../sweeps/worst-bodies.ts';
import { FORM_TEXTS, HEADERS, MOST_HEADER_BYTES, QUERIES, SPECIAL_INPUTS } from './worst-special.ts';

export interface WorstInput {
  readonly label: string;
  readonly most: number;
  readonly make: (bytes: number) => { readonly path: string; readonly options: RequestOptions };
}

type Ids = Readonly<Record<string, string>>;
const MAXIMUM_TARGET_BYTES = 7_800;
const MARGIN_BYTES = 2_000;

const encodedMarks = (bytes: number): string => `a${'%CC%95'.repeat(bytes / 12)}${'%CC%96'.repeat(bytes / 12)}`;

function inPath(route: AnyRoute, ids: Ids): WorstInput[] {
  const names = Array.from(route.url.matchAll(/:(\w+)/g), ([, name = '']) => name);
  return names.slice(-1).map((last) => ({
    label: `${last}: marks`,
    most: MAXIMUM_TARGET_BYTES - 300,
    make: (bytes: number) => ({ path: address(route, { ...ids, [last]: encodedMarks(bytes) }), options: {} }),
  }));
}

function inQuery(route: AnyRoute, ids: Ids, org: TestOrg): WorstInput[] {
  return Object.keys(route.query ?? {}).flatMap((name) => {
    const special = Object.entries(QUERIES[name] ?? {});
    const texts = [
      ...special.map(([label, text]) => [label, (bytes: number) => encodeURIComponent(text(bytes * 0.7))] as const),
      ['marks', encodedMarks] as const,
    ];
    return texts.map(([label, text]) => ({
      label: `?${name}: ${label}`,
      most: MAXIMUM_TARGET_BYTES - 400,
      make: (bytes: number) => ({
        path: `${address(route, ids)}?${name}=${text(bytes).slice(0, MAXIMUM_TARGET_BYTES - 300)}`,
        options: bodyOf(route, org),
      }),
    }));
  });
}

const limitOf = ({ bodyLimit }: AnyRoute): number => bodyLimit?.bytes ?? MAXIMUM_BODY_BYTES;
const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

function inJson(route: AnyRoute, path: string, org: TestOrg): WorstInput[] {
  const base = bodyOf(route, org).body ?? {};
  const schema = recordOf(route.body);
  return worstBodies(schema, base).map(({ label, make, most = Number.POSITIVE_INFINITY }) => ({
    label,
    most: Math.min(most, limitOf(route) - MARGIN_BYTES),
    make: (bytes: number) => ({ path, options: { body: make(bytes) } }),
  }));
}

/** Bodies that all routes parse in the same way, so a few routes are enough. */
const RAW: Readonly<Record<string, (bytes: number) => string>> = {
  depth: (bytes) => '['.repeat(bytes),
  'one key again and again': (bytes) => `{${'"a":1,'.repeat(bytes / 6)}"b":1}`,
  escapes: (bytes) => `{"a":"${String.raw`\u0061`.repeat((bytes - 20) / 6)}"}`,
};

const READ_FOR_ALL = ['updateUser', 'changePassword'];
const inRaw = (route: AnyRoute, path: string): WorstInput[] =>
  Object.entries(READ_FOR_ALL.includes(route.operationId) ? RAW : {}).map(([label, text]) => ({
    label: `body: ${label}`,
    most: limitOf(route) - MARGIN_BYTES,
    make: (bytes: number) => ({ path, options: { raw: text(bytes), headers: { 'content-type': 'application/json' } } }),
  }));

function inForm(route: AnyRoute, path: string, client: Ids): WorstInput[] {
  const isProfile = route.operationId === 'sendProfilePage';
  const declared = Object.keys(recordOf(recordOf(route.body)['properties']));
  const names = isProfile ? ['profile.firstName', 'profile.mobilePhone'] : declared;
  const { cookie = '', origin = '', page = '', ...credentials } = client;
  const form = (raw: string): RequestOptions => ({
    raw,
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin, ...(isProfile ? { cookie } : {}) },
  });
  const known: Ids = isProfile ? Object.fromEntries(new URLSearchParams(page)) : credentials;
  const most = limitOf(route) - MARGIN_BYTES;
  const fields = names.flatMap((name) =>
    Object.entries(FORM_TEXTS).map(([label, text]) => ({
      label: `${name}: ${label}`,
      most,
      make: (bytes: number) => ({
        path,
        options: form(new URLSearchParams({ ...known, [name]: text(bytes) }).toString().slice(0, most)),
      }),
    })),
  );
  const many = (bytes: number) =>
    Array.from({ length: bytes / 12 }, (_, index) => `a${index}=b`)
      .join('&')
      .slice(0, most);
  return [...fields, { label: 'body: many fields', most, make: (bytes) => ({ path, options: form(many(bytes)) }) }];
}

function inBody(route: AnyRoute, ids: Ids, org: TestOrg, client: Ids): WorstInput[] {
  if (route.body === undefined) return [];
  const path = address(route, ids);
  const special = (SPECIAL_INPUTS[route.operationId] ?? []).map(({ label, make, most, path: elsewhere }) => ({
    label,
    most: most ?? limitOf(route) - MARGIN_BYTES,
    make: (bytes: number) => ({ path: elsewhere?.(ids) ?? path, options: make(bytes, ids) }),
  }));
  const kind = route.bodyType ?? 'json';
  if (kind === 'json') return [...special, ...inRaw(route, path), ...inJson(route, path, org)];
  return kind === 'form' ? [...special, ...inForm(route, path, client)] : special;
}

export function worstInputs(route: AnyRoute, ids: Ids, org: TestOrg, client: Ids): WorstInput[] {
  const found = route.method === 'DELETE' ? {} : ids;
  return [...inPath(route, ids), ...inQuery(route, found, org), ...inBody(route, found, org, client)];
}

export const worstHeaders = (path: string): WorstInput[] =>
  Object.entries(HEADERS).map(([label, make]) => ({
    label: `header: ${label}`,
    most: MOST_HEADER_BYTES,
    make: (bytes: number) => ({ path, options: { headers: make(bytes) } }),
  }));
