import { invalid } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import type { Namespace } from '../../../kernel/words/namespace.ts';
import type { AppInput, ClientInput, ModeInput, SentApp, SentClient, SentMode } from '../contract.ts';
import { type AppKind, modeOf, nameOfKind, readKindSettings } from '../modes/kind-rules.ts';
import { type GivenScheme, readScheme, type SchemeCredentials } from '../modes/scheme-rules.ts';
import { HIDDEN, readCommon, readCommonSettings, readUserNameTemplate, withName } from './common-rules.ts';
import {
  type AppDocument,
  type ClientDocument,
  type ClientSettings,
  isClientDocument,
  type ModeDocument,
} from './document-contract.ts';
import { collectFaults } from './fault-rules.ts';
import { assertGrantTypes, type Client } from './grant-type-rules.ts';
import { readApplicationType, readClientCredentials, readClientSettings } from './oauth-settings-rules.ts';
import type { HttpRedirectUris } from './uri-rules.ts';

export interface DocumentSetting {
  readonly namespace: Namespace;
  readonly baseUrl: string;
  /** The time at which a password in the body counts as set, in ISO 8601. */
  readonly now: string;
  readonly httpRedirectUris: HttpRedirectUris;
}

/** Adds the mode to a body, from its `signOnMode` or, as recordings show, its name. */
export function withMode(sent: SentApp): AppInput {
  const signOnMode = modeOf(sent.signOnMode, sent.name);
  // The casts are safe because `AppBody` validated the body for the same mode.
  return signOnMode === 'OPENID_CONNECT'
    ? { ...(sent as SentClient), signOnMode }
    : { ...(sent as SentMode), signOnMode };
}

function readSettings(
  { settings }: ClientInput,
  client: Client,
  setting: DocumentSetting,
  before: ClientSettings | undefined,
): ClientSettings {
  const given = settings?.oauthClient;
  if (given) {
    const read = collectFaults({
      oauthClient: () => readClientSettings(given, client, setting, before?.oauthClient),
      common: () => readCommonSettings(settings),
    });
    return { oauthClient: read.oauthClient, ...read.common };
  }
  if (before === undefined) throw required('settings.oauthClient');
  assertGrantTypes(before.oauthClient.grant_types, client);
  return settings ? { ...readCommonSettings(settings), oauthClient: before.oauthClient } : before;
}

/** Reads a client's type and credentials. The default authentication method depends on the type. */
function readClient(input: ClientInput, before: ClientDocument | undefined) {
  const settingsBefore = before?.settings.oauthClient;
  const applicationType = input.settings?.oauthClient
    ? readApplicationType(input.settings.oauthClient, settingsBefore?.application_type)
    : (settingsBefore?.application_type ?? 'web');
  const given = input.credentials?.oauthClient ?? {};
  const oauthClient = readClientCredentials(given, applicationType, before?.credentials.oauthClient);
  return { oauthClient, client: { applicationType, method: oauthClient.token_endpoint_auth_method } };
}

function readClientDocument(
  input: ClientInput,
  setting: DocumentSetting,
  before: ClientDocument | undefined,
): ClientDocument {
  const { client, oauthClient } = readClient(input, before);
  const { common, settings } = collectFaults({
    common: () => readCommon(input, before?.visibility.hide ?? HIDDEN),
    settings: () => readSettings(input, client, setting, before?.settings),
  });
  const userNameTemplate = readUserNameTemplate(input, before?.credentials.userNameTemplate);
  return { name: '', ...common, credentials: { oauthClient, userNameTemplate }, settings };
}

const schemeOf = (before: ModeDocument | undefined): SchemeCredentials | null => {
  const { scheme, revealPassword = false, userName } = before?.credentials ?? {};
  if (scheme === undefined) return null;
  return { scheme, revealPassword, ...(userName === undefined ? {} : { userName }) };
};

function readSchemeOf(kind: AppKind, input: ModeInput, before: ModeDocument | undefined): GivenScheme | null {
  return kind.hasScheme ? readScheme(input.credentials, schemeOf(before)) : null;
}

/** Returns the time at which the shared password was set, as a member of an object. */
function passwordTime(given: GivenScheme | null, before: ModeDocument | undefined, now: string) {
  if (given === null || given.credentials.userName === undefined) return {};
  const passwordSetAt = given.password === null ? before?.credentials.passwordSetAt : now;
  return passwordSetAt === undefined ? {} : { passwordSetAt };
}

function readModeDocument(
  kind: AppKind,
  input: ModeInput,
  setting: DocumentSetting,
  before: ModeDocument | undefined,
): ModeDocument {
  const { common, scheme, settings, own } = collectFaults({
    common: () => readCommon(input),
    settings: () => readCommonSettings(input.settings ?? {}),
    own: () => readKindSettings(kind, input.settings ?? {}, setting),
    scheme: () => readSchemeOf(kind, input, before),
  });
  const { signing } = before?.credentials ?? {};
  return {
    name: '',
    ...common,
    credentials: {
      ...scheme?.credentials,
      userNameTemplate: readUserNameTemplate(input, before?.credentials.userNameTemplate),
      ...(signing === undefined ? {} : { signing }),
      ...passwordTime(scheme, before, setting.now),
    },
    settings: { ...settings, ...own },
  };
}

/**
 * The app's name is empty if the service generates the name later. On a replacement (`before` given), some absent
 * members keep their values, because published clients rely on that.
 */
export function readDocument(
  kind: AppKind,
  input: AppInput,
  setting: DocumentSetting,
  before?: AppDocument,
): AppDocument {
  const read = (): AppDocument => {
    if (input.signOnMode === 'OPENID_CONNECT') {
      return readClientDocument(input, setting, before !== undefined && isClientDocument(before) ? before : undefined);
    }
    return readModeDocument(
      kind,
      input,
      setting,
      before === undefined || isClientDocument(before) ? undefined : before,
    );
  };
  const name = before?.name ?? nameOfKind(kind) ?? (kind.naming.from === 'catalog' ? input.name : null);
  const document = read();
  return name === null || name === undefined ? document : withName(document, kind, name);
}

/** Returns the shared password in a body that `readDocument` accepted. */
export function givenPassword(kind: AppKind, input: AppInput, before?: AppDocument): string | null {
  if (input.signOnMode === 'OPENID_CONNECT') return null;
  const earlier = before === undefined || isClientDocument(before) ? undefined : before;
  return readSchemeOf(kind, input, earlier)?.password ?? null;
}

export const takesSecret = (document: AppDocument): boolean =>
  isClientDocument(document) &&
  document.credentials.oauthClient.token_endpoint_auth_method.startsWith('client_secret_');

export const sharesPassword = (document: AppDocument): boolean =>
  !isClientDocument(document) && document.credentials.passwordSetAt !== undefined;

export function assertSameMode(input: AppInput, mode: string): void {
  if (input.signOnMode !== mode) throw invalid('signOnMode', `is ${mode} and cannot be changed.`);
}
