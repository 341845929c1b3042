import { BASE_PROFILE_ATTRIBUTES, type ProfileAttribute, scalarTypeOf } from '../../../management/schemas/index.ts';
import { listed, type Markup, markup, type Translate } from '../../../platform/pages/index.ts';

export interface ShownAttribute {
  readonly name: string;
  readonly definition: ProfileAttribute;
  readonly value: unknown;
}

export interface FieldState {
  /** The text that the user typed. Without it, the field shows the stored value. */
  readonly typed?: string | undefined;
  /** The reason for the refusal, as the API words it in English. */
  readonly reason?: string | undefined;
  /** Whether the page also shows the stored value if the typed text differs from it. */
  readonly tellsValue?: boolean;
}

const PREFIX = 'profile.';
export const fieldName = (attribute: string): string => PREFIX + attribute;

/** HTML autofill tokens by attribute (WCAG 1.3.5). */
const AUTOFILL: Readonly<Record<string, string>> = {
  login: 'username',
  firstName: 'given-name',
  middleName: 'additional-name',
  lastName: 'family-name',
  honorificPrefix: 'honorific-prefix',
  honorificSuffix: 'honorific-suffix',
  nickName: 'nickname',
  displayName: 'name',
  email: 'email',
  mobilePhone: 'tel',
  title: 'organization-title',
  organization: 'organization',
  profileUrl: 'url',
  streetAddress: 'address-line1',
  city: 'address-level2',
  state: 'address-level1',
  zipCode: 'postal-code',
  countryCode: 'country',
};

const isBase = (name: string): name is keyof typeof BASE_PROFILE_ATTRIBUTES =>
  Object.hasOwn(BASE_PROFILE_ATTRIBUTES, name);

/**
 * Returns the name of a base attribute in the user's language. Custom attributes have only the title from their schema.
 */
export const titleOf = (t: Translate, { definition, name }: ShownAttribute): string =>
  isBase(name) ? t(`attribute.${name}`) : definition.title;

function choicesOf(t: Translate, definition: ProfileAttribute): [value: string, name: string][] | null {
  const { enum: values, oneOf } = definition;
  if (scalarTypeOf(definition).field === 'yesOrNo')
    return [true, false].map((value) => [String(value), t(value ? 'value.yes' : 'value.no')]);
  if (values === undefined) return null;
  return values.map((value, index) => [String(value), oneOf?.[index]?.title ?? String(value)]);
}

/** Returns an empty string for an absent value or a list. */
const storedText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

export function shownValue(t: Translate, { definition, value }: ShownAttribute): string {
  if (Array.isArray(value)) {
    return listed(
      t,
      value.map((one) => shownValue(t, { name: '', definition, value: one })),
    );
  }
  const text = storedText(value);
  const choices = choicesOf(t, definition) ?? [];
  return choices.find(([choice]) => choice === text)?.[1] ?? text;
}

/** The page shows lists, but no field can edit them. */
export const fitsField = ({ type }: ProfileAttribute): boolean => type !== 'array';

function inputOf(t: Translate, attribute: ShownAttribute, text: string, more: Markup): Markup {
  const { definition, name } = attribute;
  const choices = choicesOf(t, definition);
  const id = fieldName(name);
  if (choices === null) {
    const { maxLength } = definition;
    const maximum = maxLength === undefined ? null : markup` maxlength="${maxLength}"`;
    const plain = definition.format === undefined ? null : markup` autocapitalize="none" spellcheck="false"`;
    return markup`<input id="${id}" name="${id}" type="text" value="${text}"
 autocomplete="${AUTOFILL[name] ?? 'off'}"${maximum}${plain}${more}>`;
  }
  const options = choices.map(([value, title]) =>
    value === text
      ? markup`<option value="${value}" selected>${title}</option>`
      : markup`<option value="${value}">${title}</option>`,
  );
  const none = definition.required ? null : markup`<option value=""></option>`;
  return markup`<select id="${id}" name="${id}"${more}>${none}${options}</select>`;
}

export function profileField(t: Translate, attribute: ShownAttribute, state: FieldState): Markup {
  const { definition, name, value } = attribute;
  const { reason, tellsValue = false, typed } = state;
  const stored = storedText(value);
  const isOther = tellsValue && typed !== undefined && typed !== stored;
  const hint = `about.${name}`;
  const isWrong = reason !== undefined;
  const told = isOther
    ? markup`<p class="hint" id="${hint}">${t('account.profile.present', {
        value: shownValue(t, attribute) || '-',
      })}</p>`
    : null;
  const wrong = isWrong ? markup`<p class="hint bad" id="${hint}" lang="en">${reason}</p>` : null;
  const about = isWrong || isOther ? markup` aria-describedby="${hint}"` : null;
  const more = markup`${definition.required ? markup` required` : null}${
    isWrong ? markup` aria-invalid="true"` : null
  }${about}`;
  return markup`<div class="field"><label for="${fieldName(name)}">${titleOf(t, attribute)}</label>
${inputOf(t, attribute, typed ?? stored, more)}${wrong ?? told}</div>`;
}

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/**
 * Empty text means null. Text that is not a value of the attribute's type stays text, which the schema then refuses.
 */
export function readField(definition: ProfileAttribute, typed: string): unknown {
  const text = typed.trim();
  return text === '' ? null : (scalarTypeOf(definition).parse(text, NUMBER) ?? text);
}
