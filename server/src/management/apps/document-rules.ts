import { invalid } from '../../kernel/errors.ts';
import type { Namespace } from '../../kernel/namespace.ts';
import type { AppInput, SettingsInput } from './contract.ts';
import type { AppDocument, AppSettings, UserNameTemplate } from './document-contract.ts';
import {
  assertGrantTypes,
  type Client,
  readApplicationType,
  readClientCredentials,
  readClientSettings,
} from './oauth-settings-rules.ts';
import { readWebUri } from './uri-rules.ts';

/** The name of every app whose sign-on mode is OPENID_CONNECT (contract section 17). */
export const OIDC_CLIENT = 'oidc_client';

const MAXIMUM_LABEL_LENGTH = 255;

/** The trimmed label. 400 E0000001 when it is blank or too long. Two apps may share one. */
export function readLabel(text: string): string {
  const label = text.trim().normalize('NFC');
  if (label === '') throw invalid('label', 'label: The field cannot be left blank');
  if (Array.from(label).length > MAXIMUM_LABEL_LENGTH) {
    throw invalid('label', `label: The field must be at most ${MAXIMUM_LABEL_LENGTH} characters in length`);
  }
  return label;
}

/** An app's name says what kind it is and can't be chosen. 400 E0000001. */
export function assertName(name: string | null | undefined): void {
  if (name === undefined || name === null || name === OIDC_CLIENT) return;
  throw invalid('name', `name: must be ${OIDC_CLIENT} where signOnMode is OPENID_CONNECT.`);
}

const optionalWebUri = (field: string, text: string | null | undefined): string | null =>
  text ? readWebUri(field, text) : null;

function readAccessibility({ accessibility }: AppInput): AppDocument['accessibility'] {
  const { selfService, errorRedirectUrl, loginRedirectUrl } = accessibility ?? {};
  return {
    selfService: selfService ?? false,
    errorRedirectUrl: optionalWebUri('accessibility.errorRedirectUrl', errorRedirectUrl),
    loginRedirectUrl: optionalWebUri('accessibility.loginRedirectUrl', loginRedirectUrl),
  };
}

const APP_LINKS = { [`${OIDC_CLIENT}_link`]: true };

function readVisibility({ visibility }: AppInput): AppDocument['visibility'] {
  const { autoLaunch, autoSubmitToolbar, hide, appLinks } = visibility ?? {};
  return {
    autoLaunch: autoLaunch ?? false,
    autoSubmitToolbar: autoSubmitToolbar ?? false,
    hide: { iOS: hide?.iOS ?? false, web: hide?.web ?? false },
    appLinks: { ...APP_LINKS, ...appLinks },
  };
}

const DEFAULT_USER_NAME: UserNameTemplate = { template: '${source.login}', type: 'BUILT_IN' };

function readUserNameTemplate(input: AppInput, before: UserNameTemplate | undefined): UserNameTemplate {
  const given = input.credentials?.userNameTemplate;
  if (!given) return before ?? DEFAULT_USER_NAME;
  return {
    template: given.template || DEFAULT_USER_NAME.template,
    type: given.type ?? DEFAULT_USER_NAME.type,
    ...(given.userSuffix ? { userSuffix: given.userSuffix } : {}),
    ...(given.pushStatus ? { pushStatus: given.pushStatus } : {}),
  };
}

type CommonSettings = Omit<AppSettings, 'oauthClient'>;

function readCommonSettings(input: SettingsInput): CommonSettings {
  const vpn = input.notifications?.vpn;
  return {
    manualProvisioning: input.manualProvisioning ?? false,
    implicitAssignment: input.implicitAssignment ?? false,
    notes: { admin: input.notes?.admin ?? null, enduser: input.notes?.enduser ?? null },
    vpn: {
      connection: vpn?.network?.connection ?? 'DISABLED',
      message: vpn?.message ?? null,
      helpUrl: optionalWebUri('settings.notifications.vpn.helpUrl', vpn?.helpUrl),
    },
    ...(input.inlineHookId ? { inlineHookId: input.inlineHookId } : {}),
    ...(input.identityStoreId ? { identityStoreId: input.identityStoreId } : {}),
  };
}

function readSettings(
  input: AppInput,
  client: Client,
  namespace: Namespace,
  before: AppSettings | undefined,
): AppSettings {
  const given = input.settings?.oauthClient;
  if (given) {
    const oauthClient = readClientSettings(given, client, namespace, before?.oauthClient);
    return { oauthClient, ...readCommonSettings(input.settings ?? {}) };
  }
  if (before === undefined) throw invalid('settings.oauthClient', 'settings.oauthClient: is required');
  assertGrantTypes(before.oauthClient.grant_types, client);
  return input.settings ? { ...readCommonSettings(input.settings), oauthClient: before.oauthClient } : before;
}

/**
 * What is stored of an app that a client sent. Absent members get their defaults, except that on a replacement
 * (`before` given) the two `oauthClient` objects and the user name template stay as they are when they are left out, as
 * published clients rely on. 400 E0000001 naming the field.
 */
export function readDocument(input: AppInput, namespace: Namespace, before?: AppDocument): AppDocument {
  const settingsBefore = before?.settings.oauthClient;
  const applicationType = input.settings?.oauthClient
    ? readApplicationType(input.settings.oauthClient, settingsBefore?.application_type)
    : (settingsBefore?.application_type ?? 'web');
  const oauthClient = readClientCredentials(
    input.credentials?.oauthClient ?? {},
    applicationType,
    before?.credentials.oauthClient,
  );
  const client = { applicationType, method: oauthClient.token_endpoint_auth_method };
  const seatCount = input.licensing?.seatCount ?? null;
  return {
    name: OIDC_CLIENT,
    accessibility: readAccessibility(input),
    visibility: readVisibility(input),
    features: input.features ?? [],
    credentials: { oauthClient, userNameTemplate: readUserNameTemplate(input, before?.credentials.userNameTemplate) },
    settings: readSettings(input, client, namespace, before?.settings),
    ...(seatCount === null ? {} : { licensing: { seatCount } }),
    ...(input.profile ? { profile: input.profile } : {}),
  };
}

/** Whether the client proves itself by a secret that the service holds. */
export const takesSecret = ({ credentials }: AppDocument): boolean =>
  credentials.oauthClient.token_endpoint_auth_method.startsWith('client_secret_');

/** A client's id is its app's: no other can be chosen. 400 E0000001. `appId` null: not made yet. */
export function assertClientId(input: AppInput, appId: string | null): void {
  const given = input.credentials?.oauthClient?.client_id ?? null;
  if (given === null || given === appId) return;
  const field = 'credentials.oauthClient.client_id';
  throw invalid(field, `${field}: is always the id of the app and can't be chosen.`);
}
