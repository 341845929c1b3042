import { invalid } from '../../../kernel/errors/errors.ts';
import { required, tooLong, wrongType } from '../../../kernel/errors/field-errors.ts';
import { collectFaults } from '../documents/fault-rules.ts';
import {
  expression,
  type FieldTable,
  flag,
  isAbsent,
  isObject,
  readFields,
  type Stored,
  type StoredMembers,
  text,
  url,
  word,
} from './field-rules.ts';
import { completeSaml, SAML_FIELDS } from './saml-rules.ts';

/** All sign-on modes in the contract (`ApplicationSignOnMode`). */
export const SIGN_ON_MODES = [
  'OPENID_CONNECT',
  'SAML_2_0',
  'SAML_1_1',
  'WS_FEDERATION',
  'AUTO_LOGIN',
  'BASIC_AUTH',
  'BROWSER_PLUGIN',
  'SECURE_PASSWORD_STORE',
  'BOOKMARK',
] as const;
export type SignOnMode = (typeof SIGN_ON_MODES)[number];

/**
 * The origin of an app's `name`. With `custom`, the service builds the name. With `catalog`, the client names an app of
 * a catalog, which this service does not look up.
 */
export type Naming =
  | { readonly from: 'fixed'; readonly name: string }
  | { readonly from: 'custom' }
  | { readonly from: 'catalog' };

interface Setting {
  readonly baseUrl: string;
}

export interface AppKind {
  readonly mode: SignOnMode;
  readonly naming: Naming;
  /** The display name of the kind in events. */
  readonly title: string;
  /** The members of `settings.app`. Null means that the service stores any object that the client sends. */
  readonly app: FieldTable | null;
  /** The members of `settings.signOn`. This is null when the kind has no such settings. */
  readonly signOn: FieldTable | null;
  readonly complete?: (signOn: StoredMembers, setting: Setting) => StoredMembers;
  /** Whether a scheme (`scheme-rules.ts`) decides who sets the names and passwords of the app's users. */
  readonly hasScheme: boolean;
  readonly signs: boolean;
  readonly provisions: boolean;
}

// biome-ignore format: the columns are the documentation
const BOOKMARK_FIELDS: FieldTable = {
  requestIntegration: flag(false),
  url:                url({ required: true }),
};

// biome-ignore format: the columns are the documentation
const BASIC_AUTH_FIELDS: FieldTable = {
  loginUrlRegex: expression(),
  authURL:       url({ required: true }),
  url:           url({ required: true }),
};

// biome-ignore format: the columns are the documentation
const PLUGIN_FIELDS: FieldTable = {
  loginUrlRegex: expression(),
  usernameField: text({ required: true }),
  redirectUrl:   url(),
  buttonField:   text({ required: true }),
  checkbox:      text(),
  passwordField: text({ required: true }),
  url:           url({ required: true }),
};

// biome-ignore format: the columns are the documentation
const THREE_FIELD_PLUGIN_FIELDS: FieldTable = {
  loginUrlRegex:      expression(),
  extraFieldSelector: text(),
  extraFieldValue:    text(),
  redirectUrl:        url(),
  userNameSelector:   text({ required: true }),
  passwordSelector:   text({ required: true }),
  targetURL:          url({ required: true }),
  buttonSelector:     text({ required: true }),
};

// biome-ignore format: the columns are the documentation
const PASSWORD_STORE_FIELDS: FieldTable = {
  usernameField:       text({ required: true }),
  optionalField1:      text(),
  optionalField2Value: text(),
  optionalField3Value: text(),
  passwordField:       text({ required: true }),
  url:                 url({ required: true }),
  optionalField1Value: text(),
  optionalField2:      text(),
  optionalField3:      text(),
};

// biome-ignore format: the columns are the documentation
const WS_FEDERATION_FIELDS: FieldTable = {
  siteURL:              url({ required: true }),
  realm:                text(),
  wReplyURL:            url({ required: true }),
  wReplyOverride:       flag(false),
  nameIDFormat:         text({ required: true }),
  audienceRestriction:  text({ required: true }),
  authnContextClassRef: text({ required: true }),
  groupFilter:          expression(),
  groupName:            text(),
  groupValueFormat:     word(['windowsDomainQualifiedName', 'samAccountName', 'dn'], { required: true }),
  usernameAttribute:    word(['username', 'upn', 'upnAndUsername', 'none'], { required: true }),
  attributeStatements:  text({ maximum: 16_384 }),
};

// biome-ignore format: the columns are the documentation
const SAML_1_1_FIELDS: FieldTable = {
  defaultRelayState: text(),
  ssoAcsUrlOverride: url(),
  audienceOverride:  text(),
  recipientOverride: url(),
};

// biome-ignore format: the columns are the documentation
const AUTO_LOGIN_FIELDS: FieldTable = {
  redirectUrl: url(),
  loginUrl:    url({ required: true }),
};

const fixed = (name: string): Naming => ({ from: 'fixed', name });
const CUSTOM: Naming = { from: 'custom' };
const CATALOG: Naming = { from: 'catalog' };

// biome-ignore format: the columns are the documentation
export const APP_KINDS: readonly AppKind[] = [
  { mode: 'OPENID_CONNECT',        naming: fixed('oidc_client'),         title: 'OpenID Connect Client',          app: {},                        signOn: null,              hasScheme: false, signs: false, provisions: true },
  { mode: 'SAML_2_0',              naming: CUSTOM,                       title: 'SAML 2.0 App',                   app: {},                        signOn: SAML_FIELDS,       hasScheme: false, signs: true,  provisions: true, complete: completeSaml },
  { mode: 'SAML_1_1',              naming: CATALOG,                      title: 'SAML 1.1 App',                   app: null,                      signOn: SAML_1_1_FIELDS,   hasScheme: false, signs: true,  provisions: true },
  { mode: 'WS_FEDERATION',         naming: fixed('template_wsfed'),      title: 'WS-Federation App',              app: WS_FEDERATION_FIELDS,      signOn: null,              hasScheme: false, signs: true,  provisions: true },
  { mode: 'AUTO_LOGIN',            naming: CUSTOM,                       title: 'Secure Web Authentication App',  app: {},                        signOn: AUTO_LOGIN_FIELDS, hasScheme: true,  signs: false, provisions: true },
  { mode: 'BASIC_AUTH',            naming: fixed('template_basic_auth'), title: 'Basic Authentication App',       app: BASIC_AUTH_FIELDS,         signOn: null,              hasScheme: true,  signs: false, provisions: false },
  { mode: 'BROWSER_PLUGIN',        naming: fixed('template_swa'),        title: 'Browser Plugin App',             app: PLUGIN_FIELDS,             signOn: null,              hasScheme: true,  signs: false, provisions: true },
  { mode: 'BROWSER_PLUGIN',        naming: fixed('template_swa3field'),  title: 'Browser Plugin App (3 fields)',  app: THREE_FIELD_PLUGIN_FIELDS, signOn: null,              hasScheme: true,  signs: false, provisions: true },
  { mode: 'SECURE_PASSWORD_STORE', naming: fixed('template_sps'),        title: 'Secure Password Store App',      app: PASSWORD_STORE_FIELDS,     signOn: null,              hasScheme: true,  signs: false, provisions: true },
  { mode: 'BOOKMARK',              naming: fixed('bookmark'),            title: 'Bookmark App',                   app: BOOKMARK_FIELDS,           signOn: null,              hasScheme: false, signs: false, provisions: false },
];

export const nameOfKind = ({ naming }: AppKind): string | null => (naming.from === 'fixed' ? naming.name : null);

const FIXED_NAMES: ReadonlySet<string> = new Set(APP_KINDS.map(nameOfKind).filter((name) => name !== null));

const CATALOG_NAME = /^[a-z][a-z\d_-]{0,99}$/;

function assertNameOf({ naming }: AppKind, name: string | null): void {
  if (naming.from === 'custom' && name !== null) {
    throw invalid('name', 'must be absent: the service names apps of this sign-on mode.');
  }
  if (naming.from !== 'catalog') return;
  if (name === null) throw required('name');
  if (!CATALOG_NAME.test(name) || FIXED_NAMES.has(name)) throw invalid('name', 'is not the name of a SAML 1.1 app.');
}

export function kindOf(mode: SignOnMode, given: string | null | undefined): AppKind {
  const name = isAbsent(given) ? null : (given ?? null);
  const kinds = APP_KINDS.filter((kind) => kind.mode === mode);
  const [first] = kinds;
  if (first === undefined) throw new Error(`no kind of app has the mode ${mode}`);
  if (first.naming.from !== 'fixed') {
    assertNameOf(first, name);
    return first;
  }
  const names = kinds.flatMap((kind) => nameOfKind(kind) ?? []);
  const found = kinds.length === 1 && name === null ? first : kinds.find((kind) => nameOfKind(kind) === name);
  if (found === undefined) throw invalid('name', `must be ${names.join(' or ')} where signOnMode is ${mode}.`);
  return found;
}

export function modeOf(mode: SignOnMode | null | undefined, name: string | null | undefined): SignOnMode {
  const found = mode ?? APP_KINDS.find((kind) => nameOfKind(kind) === (name ?? ''))?.mode;
  if (found === undefined) throw required('signOnMode');
  return found;
}

export const kindOfApp = (app: { readonly signOnMode: SignOnMode; readonly document: { readonly name: string } }) => {
  const kinds = APP_KINDS.filter((kind) => kind.mode === app.signOnMode);
  const kind = kinds.find((one) => nameOfKind(one) === app.document.name) ?? kinds[0];
  if (kind === undefined) throw new Error(`no kind of app has the mode ${app.signOnMode}`);
  return kind;
};

const MAXIMUM_FREE_CHARACTERS = 65_536;

/** Accepts any JSON object unchanged, up to a maximum number of characters. */
function readFree(field: string, input: unknown): StoredMembers {
  if (isAbsent(input)) return {};
  if (!isObject(input)) throw wrongType(field, 'an object');
  if (JSON.stringify(input).length > MAXIMUM_FREE_CHARACTERS) {
    throw tooLong(field, MAXIMUM_FREE_CHARACTERS);
  }
  return input as Readonly<Record<string, Stored>>;
}

export interface KindSettings {
  readonly app: StoredMembers;
  readonly signOn?: StoredMembers;
}

export function readKindSettings(
  { app, complete, signOn }: AppKind,
  input: { readonly app?: unknown; readonly signOn?: unknown },
  setting: Setting,
): KindSettings {
  const read = collectFaults({
    app: () => (app === null ? readFree('settings.app', input.app) : readFields('settings.app', app, input.app)),
    signOn: () => {
      if (signOn === null) return null;
      const fields = readFields('settings.signOn', signOn, input.signOn);
      return complete === undefined ? fields : complete(fields, setting);
    },
  });
  return read.signOn === null ? { app: read.app } : { app: read.app, signOn: read.signOn };
}
