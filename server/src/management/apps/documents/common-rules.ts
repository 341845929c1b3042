import { readLine } from '../../../kernel/texts/written-text.ts';
import type { AppInput, CommonSettingsInput } from '../contract.ts';
import { type AppKind, nameOfKind } from '../modes/kind-rules.ts';
import type { AppDocument, CommonSettings, UserNameTemplate } from './document-contract.ts';
import { collectFaults } from './fault-rules.ts';
import { readWebUri } from './web-uri-rules.ts';

const MAXIMUM_LABEL_LENGTH = 255;

export const readLabel = (text: string, stored?: string): string =>
  readLine('label', text, MAXIMUM_LABEL_LENGTH, stored);

const optionalWebUri = (field: string, text: string | null | undefined): string | null =>
  text ? readWebUri(field, text) : null;

function readAccessibility({ accessibility }: AppInput): AppDocument['accessibility'] {
  const { selfService, errorRedirectUrl, loginRedirectUrl } = accessibility ?? {};
  return {
    selfService: selfService ?? false,
    ...collectFaults({
      errorRedirectUrl: () => optionalWebUri('accessibility.errorRedirectUrl', errorRedirectUrl),
      loginRedirectUrl: () => optionalWebUri('accessibility.loginRedirectUrl', loginRedirectUrl),
    }),
  };
}

/** Returns the name of the launch link that every app has in recordings. */
export const launchLinkOf = (kind: AppKind, name: string): string => {
  const isTemplate = kind.naming.from === 'catalog' || (nameOfKind(kind) !== null && kind.mode !== 'OPENID_CONNECT');
  return isTemplate ? 'login' : `${name}_link`;
};

type Hide = AppDocument['visibility']['hide'];

const SHOWN: Hide = { iOS: false, web: false };
/** In recordings, new OAuth clients are hidden by default. */
export const HIDDEN: Hide = { iOS: true, web: true };

function readVisibility({ visibility }: AppInput, unsaid: Hide): AppDocument['visibility'] {
  const { autoLaunch, autoSubmitToolbar, hide, appLinks } = visibility ?? {};
  return {
    autoLaunch: autoLaunch ?? false,
    autoSubmitToolbar: autoSubmitToolbar ?? false,
    hide: { iOS: hide?.iOS ?? unsaid.iOS, web: hide?.web ?? unsaid.web },
    appLinks: appLinks ?? {},
  };
}

const DEFAULT_USER_NAME: UserNameTemplate = { template: '${source.login}', type: 'BUILT_IN' };

/** A body without `userNameTemplate` keeps the earlier template, if any. */
export function readUserNameTemplate(input: AppInput, before: UserNameTemplate | undefined): UserNameTemplate {
  const given = input.credentials?.userNameTemplate;
  if (!given) return before ?? DEFAULT_USER_NAME;
  const type = given.type || DEFAULT_USER_NAME.type;
  // In recordings, user names from an expression are not pushed by default.
  const pushStatus = given.pushStatus ?? (type === 'CUSTOM' ? 'DONT_PUSH' : null);
  return {
    template: given.template || DEFAULT_USER_NAME.template,
    type,
    ...(given.userSuffix ? { userSuffix: given.userSuffix } : {}),
    ...(pushStatus === null ? {} : { pushStatus }),
  };
}

export function readCommonSettings(input: CommonSettingsInput): CommonSettings {
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

type Common = Omit<AppDocument, 'credentials' | 'settings' | 'name'>;

export function readCommon(input: AppInput, unsaid: Hide = SHOWN): Common {
  const seatCount = input.licensing?.seatCount ?? null;
  return {
    accessibility: readAccessibility(input),
    visibility: readVisibility(input, unsaid),
    features: input.features ?? [],
    ...(seatCount === null ? {} : { licensing: { seatCount } }),
    ...(input.profile ? { profile: input.profile } : {}),
  };
}

export function withName<Document extends AppDocument>(document: Document, kind: AppKind, name: string): Document {
  const { visibility } = document;
  const appLinks = { [launchLinkOf(kind, name)]: true, ...visibility.appLinks };
  return { ...document, name, visibility: { ...visibility, appLinks } };
}
