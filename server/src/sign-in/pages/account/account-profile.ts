import { ApiError, type ErrorCause } from '../../../kernel/errors/errors.ts';
import { readUserSchemas } from '../../../management/schemas/index.ts';
import {
  changePendingAddress,
  getUser,
  hiddenFromSelf,
  isOwnToWrite,
  pendingAddressesOf,
  updateOwnProfile,
} from '../../../management/users/index.ts';
import type { Answer } from '../../../platform/http/index.ts';
import { listed, type Markup, type MessageKey, markup, seeOther } from '../../../platform/pages/index.ts';
import { field, notice } from '../form-parts.ts';
import { type PageRequest, refuseForeignForm, tokenField } from '../page-session.ts';
import type { PagesPorts } from '../ports.ts';
import { ACCOUNT_PAGES, type AccountSession, accountPage, formPurpose, openAccountSession } from './account-page.ts';
import {
  fieldName,
  fitsField,
  profileField,
  readField,
  type ShownAttribute,
  shownValue,
  titleOf,
} from './profile-fields.ts';

const PATH = ACCOUNT_PAGES.profile;

/** Users must enter their password to change these attributes. */
const ASK_FOR_PASSWORD: ReadonlySet<string> = new Set(['login', 'email', 'secondEmail']);

/** The submitted fields. The field of an attribute is named `profile.` followed by the attribute's name. */
export type ProfileForm = Readonly<Record<string, string>>;

interface Attributes {
  readonly editable: readonly ShownAttribute[];
  readonly others: readonly ShownAttribute[];
}

async function attributesOf(
  { users }: PagesPorts,
  { signedIn: { context, user } }: AccountSession,
): Promise<Attributes> {
  const [schemas, hidden] = await Promise.all([
    readUserSchemas(users.db, context.orgId),
    hiddenFromSelf(users, context),
  ]);
  const schema = schemas.find(({ typeId }) => typeId === user.typeId)?.schema ?? new Map();
  const shown: ShownAttribute[] = [...schema]
    .filter(([name]) => !hidden.has(name))
    .map(([name, definition]) => ({ name, definition, value: user.profile[name] ?? null }));
  const isEditable = ({ definition, name, value }: ShownAttribute): boolean => {
    const isSet = definition.mutability === 'IMMUTABLE' && value !== null;
    const lacksPassword = ASK_FOR_PASSWORD.has(name) && !user.hasPassword;
    return isOwnToWrite(definition) && fitsField(definition) && !isSet && !lacksPassword;
  };
  return { editable: shown.filter(isEditable), others: shown.filter((attribute) => !isEditable(attribute)) };
}

interface Shown {
  readonly notice: Markup | null;
  readonly status?: number;
  readonly typed?: ProfileForm;
  readonly reasons?: ReadonlyMap<string, string>;
  readonly isPasswordWrong?: boolean;
  /** Whether the user's data changed after the form was shown. */
  readonly isStale?: boolean;
}

function passwordField(
  { pageSession: { view } }: AccountSession,
  editable: readonly ShownAttribute[],
  isWrong: boolean,
) {
  const asked = editable.filter(({ name }) => ASK_FOR_PASSWORD.has(name));
  if (asked.length === 0) return null;
  const { t } = view;
  const names = listed(
    t,
    asked.map((attribute) => titleOf(t, attribute)),
  );
  const about = 'about.password';
  const current = { name: 'password', label: t('field.currentPassword'), type: 'password' } as const;
  return markup`${field({
    ...current,
    autocomplete: 'current-password',
    isRequired: false,
    isWrong,
    describedBy: about,
    maximum: 1_000,
  })}
<p class="hint" id="${about}">${t('account.profile.password', { names })}</p>`;
}

function formOf(ports: PagesPorts, own: AccountSession, { editable }: Attributes, shown: Shown): Markup | null {
  if (editable.length === 0) return null;
  const { pageSession, signedIn } = own;
  const { t } = pageSession.view;
  const { isPasswordWrong = false, isStale = false, reasons, typed } = shown;
  const fields = editable.map((attribute) => {
    const { name } = attribute;
    return profileField(t, attribute, {
      typed: typed?.[fieldName(name)],
      reason: reasons?.get(name),
      tellsValue: isStale,
    });
  });
  return markup`<section class="panel narrow"><form method="post" action="${PATH}">
${tokenField(ports, pageSession, formPurpose('profile', signedIn))}
<input type="hidden" name="revision" value="${signedIn.user.revision}">
${fields}
${passwordField(own, editable, isPasswordWrong)}
<button type="submit">${t('account.profile.save')}</button></form></section>`;
}

const pendingButton = (action: 'cancel' | 'resend', text: string): Markup =>
  markup`<button type="submit" class="quiet small" name="action" value="${action}">${text}</button>`;

async function pendingPanel(
  ports: PagesPorts,
  own: AccountSession,
  { editable, others }: Attributes,
): Promise<Markup | null> {
  const { pageSession, signedIn } = own;
  const { t } = pageSession.view;
  const pending = await pendingAddressesOf(ports.users.db, signedIn.context, signedIn.user.id);
  const token = tokenField(ports, pageSession, formPurpose('profile', signedIn));
  const rows = pending.flatMap(({ address, attribute }) => {
    const shown = [...editable, ...others].find(({ name }) => name === attribute);
    if (shown === undefined) return [];
    return markup`<form method="post" action="${PATH}">${token}
<p>${t('account.profile.pending', { name: titleOf(t, shown), address })}</p>
<input type="hidden" name="pending" value="${attribute}">
${pendingButton('resend', t('account.profile.pendingResend'))}
${pendingButton('cancel', t('account.profile.pendingCancel'))}</form>`;
  });
  return rows.length === 0 ? null : markup`<section class="panel narrow">${rows}</section>`;
}

async function profilePage(ports: PagesPorts, own: AccountSession, shown: Shown): Promise<Answer> {
  const { t } = own.pageSession.view;
  const attributes = await attributesOf(ports, own);
  const rows = attributes.others.flatMap((attribute) => {
    const text = shownValue(t, attribute);
    return text === '' ? [] : [markup`<dt>${titleOf(t, attribute)}</dt><dd>${text}</dd>`];
  });
  const form = formOf(ports, own, attributes, shown);
  const kept =
    rows.length === 0
      ? null
      : markup`<p class="lead">${t('account.profile.readOnly')}</p>
<section class="panel"><dl>${rows}</dl></section>`;
  const pending = await pendingPanel(ports, own, attributes);
  const body = markup`${shown.notice}${form}${pending}${kept}`;
  return accountPage(ports, own, 'profile', { body, status: shown.status ?? 200 });
}

export async function showProfile(ports: PagesPorts, request: PageRequest, done: 'saved' | undefined): Promise<Answer> {
  const own = await openAccountSession(ports, request, 'profile');
  if ('status' in own) return own;
  const told = done === 'saved' ? notice('good', own.pageSession.view.t('account.profile.saved')) : null;
  return profilePage(ports, own, { notice: told });
}

/** Maps the field that a cause begins with, an attribute or `password`, to the reason. Skips causes without a field. */
function reasonsOf(causes: readonly ErrorCause[]): ReadonlyMap<string, string> {
  const named = causes.map(({ errorSummary }) => /^(?:profile\.)?(\w+): ?(.+)$/s.exec(errorSummary));
  return new Map(named.flatMap((match) => (match === null ? [] : [[match[1] ?? '', match[2] ?? '']])));
}

const NOTICES: Readonly<Record<string, MessageKey>> = {
  E0000001: 'account.profile.refused',
  E0000006: 'error.forbidden',
  E0000014: 'password.wrong',
  E0000077: 'error.forbidden',
  E0000078: 'error.forbidden',
  E0000231: 'account.profile.stale',
};

async function refusedPage(
  ports: PagesPorts,
  own: AccountSession,
  typed: ProfileForm,
  error: unknown,
): Promise<Answer> {
  if (!(error instanceof ApiError)) throw error;
  const { causes, code, status } = error;
  const reasons = code === 'E0000001' ? reasonsOf(causes) : new Map<string, string>();
  const lacksPassword = reasons.has('password');
  const key = lacksPassword ? 'account.profile.passwordMissing' : NOTICES[code];
  if (key === undefined) throw error;
  const { context, grant } = own.signedIn;
  const user = await getUser(ports.users, context, grant, 'me');
  return profilePage(
    ports,
    { ...own, signedIn: { ...own.signedIn, user } },
    {
      notice: notice('bad', own.pageSession.view.t(key)),
      status,
      typed,
      reasons,
      isPasswordWrong: lacksPassword || code === 'E0000014',
      isStale: code === 'E0000231',
    },
  );
}

/** `POST /account/profile` saves the profile, or resends or cancels the link that confirms a new address. */
export async function submitProfile(ports: PagesPorts, request: PageRequest, form: ProfileForm): Promise<Answer> {
  const own = await openAccountSession(ports, request, 'profile');
  if ('status' in own) return own;
  const { pageSession, signedIn } = own;
  const purpose = formPurpose('profile', signedIn);
  const foreign = refuseForeignForm(ports, pageSession, { purpose, token: form['formToken'], again: PATH });
  if (foreign !== null) return foreign;
  const pending = form['pending'];
  if (pending !== undefined) {
    const action = form['action'] === 'cancel' ? 'cancel' : 'resend';
    await changePendingAddress(ports.users, signedIn.context, signedIn.user.id, { action, attribute: pending });
    return seeOther(PATH);
  }
  const { editable } = await attributesOf(ports, own);
  const profile = Object.fromEntries(
    editable.flatMap(({ definition, name }) => {
      const typed = form[fieldName(name)];
      return typed === undefined ? [] : [[name, readField(definition, typed)]];
    }),
  );
  const seen = form['revision'] ?? '';
  const context = {
    ...signedIn.context,
    precondition: (version: { readonly revision: number } | null) => String(version?.revision) === seen,
  };
  try {
    await updateOwnProfile(ports.users, context, signedIn.grant, { profile, password: form['password'] ?? '' });
  } catch (error) {
    return refusedPage(ports, own, form, error);
  }
  return seeOther(`${PATH}?done=saved`);
}
