import type { ResourceKindName } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { type ApiError, invalid } from '../../../kernel/errors/errors.ts';

/**
 * A resource in a set. The key is an id, or a name that several apps share. An empty key stands for everything of the
 * kind.
 */
export interface NamedResource {
  readonly kind: ResourceKindName;
  readonly key: string;
}

export type NamingContext = Pick<Context, 'baseUrl' | 'namespace' | 'orgId'>;

interface WholeKind {
  readonly kind: ResourceKindName;
  readonly path: string;
  /** The part of the ORN after its prefix (`partitionsOf`), with `{org}` in place of the org's id. */
  readonly orn: string;
}

const WHOLE_KINDS: readonly WholeKind[] = [
  { kind: 'users', path: '/api/v1/users', orn: 'directory:{org}:users' },
  { kind: 'groups', path: '/api/v1/groups', orn: 'directory:{org}:groups' },
  { kind: 'devices', path: '/api/v1/devices', orn: 'directory:{org}:devices' },
  { kind: 'apps', path: '/api/v1/apps', orn: 'idp:{org}:apps' },
  { kind: 'identityProviders', path: '/api/v1/idps', orn: 'idp:{org}:identity_providers' },
  { kind: 'policies', path: '/api/v1/policies', orn: 'idp:{org}:policies' },
  {
    kind: 'authorizationServers',
    path: '/api/v1/authorizationServers',
    orn: 'idp:{org}:authorization_servers',
  },
  { kind: 'customizations', path: '/api/v1/brands', orn: 'idp:{org}:customizations' },
  { kind: 'workflows', path: '/api/v1/workflows', orn: 'workflow:{org}:flows' },
  { kind: 'iam', path: '/api/v1/iam', orn: 'iam:{org}:contained_resources' },
];

const APP_FILTER = /^\/api\/v1\/apps\?filter=name\+eq\+"([\w.-]{1,100})"$/;
const SINGLE = /^\/api\/v1\/(users|groups|apps)\/(\w{20})(\/users)?$/;
const SINGLE_ORN = /^(directory|idp):(\w{20}):(users|groups|apps):([\w.-]{1,100})(?::([\w.-]{1,100}))?$/;
const APP_ID = /^0oa\w{17}$/;

function byAddress(path: string): NamedResource | null {
  const whole = WHOLE_KINDS.find((one) => one.path === path);
  if (whole !== undefined) return { kind: whole.kind, key: '' };
  const [, appName] = APP_FILTER.exec(path.replaceAll('%20', '+').replaceAll('%22', '"')) ?? [];
  if (appName !== undefined) return { kind: 'appName', key: appName };
  const [, collection, id = '', members] = SINGLE.exec(path) ?? [];
  if (members !== undefined) return collection === 'groups' ? { kind: 'groupUsers', key: id } : null;
  if (collection === 'users') return { kind: 'user', key: id };
  if (collection === 'groups') return { kind: 'group', key: id };
  return collection === 'apps' ? { kind: 'app', key: id } : null;
}

function appByName(name: string, id: string | undefined): NamedResource | null {
  if (id !== undefined) return APP_ID.test(id) ? { kind: 'app', key: id } : null;
  return APP_ID.test(name) ? { kind: 'app', key: name } : { kind: 'appName', key: name };
}

function byName(name: string, orgId: string): NamedResource | null {
  const whole = WHOLE_KINDS.find(({ orn }) => orn.replace('{org}', orgId) === name);
  if (whole !== undefined) return { kind: whole.kind, key: '' };
  const [, domain, org, collection, key = '', part] = SINGLE_ORN.exec(name) ?? [];
  if (org !== orgId) return null;
  if (domain === 'idp') return collection === 'apps' ? appByName(key, part) : null;
  if (collection === 'users' && part === undefined) return { kind: 'user', key };
  if (collection !== 'groups') return null;
  if (part === undefined) return { kind: 'group', key };
  return part === 'contained_resources' ? { kind: 'groupUsers', key } : null;
}

const unknown = (text: string): ApiError =>
  invalid('resources', `${text.slice(0, 200)} is not a resource of this org.`);

/** Preview orgs use the second prefix (contract section 1). */
const partitionsOf = ({ word }: NamingContext['namespace']): readonly string[] => [
  `orn:${word}:`,
  `orn:${word}preview:`,
];

/** Reads the address or ORN of a resource of this org. Does not check whether the resource exists. */
export function readResource(text: string, { baseUrl, namespace, orgId }: NamingContext): NamedResource {
  const partition = partitionsOf(namespace).find((one) => text.startsWith(one));
  const found =
    partition !== undefined
      ? byName(text.slice(partition.length), orgId)
      : text.startsWith(`${baseUrl}/`)
        ? byAddress(text.slice(baseUrl.length))
        : null;
  if (found === null) throw unknown(text);
  return found;
}

const SINGLE_NAMES: Readonly<Partial<Record<ResourceKindName, { readonly path: string; readonly orn: string }>>> = {
  user: { path: '/api/v1/users/{key}', orn: 'directory:{org}:users:{key}' },
  group: { path: '/api/v1/groups/{key}', orn: 'directory:{org}:groups:{key}' },
  groupUsers: { path: '/api/v1/groups/{key}/users', orn: 'directory:{org}:groups:{key}:contained_resources' },
  app: { path: '/api/v1/apps/{key}', orn: 'idp:{org}:apps:{key}' },
  appName: { path: '/api/v1/apps?filter=name+eq+%22{key}%22', orn: 'idp:{org}:apps:{key}' },
};

export function namesOf(
  { key, kind }: NamedResource,
  { baseUrl, namespace, orgId }: NamingContext,
): { readonly address: string; readonly orn: string } {
  const names = SINGLE_NAMES[kind] ?? WHOLE_KINDS.find((whole) => whole.kind === kind);
  if (names === undefined) throw new Error(`resources of the kind ${kind} have no name`);
  const orn = names.orn.replace('{org}', orgId).replace('{key}', key);
  return { address: `${baseUrl}${names.path.replace('{key}', key)}`, orn: `orn:${namespace.word}:${orn}` };
}
