import { type Markup, markup } from '../../platform/pages/index.ts';

/** Renders a message that screen readers announce when the page opens. */
export const notice = (tone: 'bad' | 'good', text: string): Markup =>
  markup`<p class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">${text}</p>`;

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'password';
  readonly autocomplete: string;
  readonly inputMode?: 'numeric';
  readonly value?: string;
  readonly isWrong?: boolean;
  /** Whether the field has the focus when the page opens. At most one field per page may have it. */
  readonly isFirst?: boolean;
  readonly describedBy?: string;
  readonly maximum?: number;
  readonly isRequired?: boolean;
}

export function field({
  autocomplete,
  describedBy,
  inputMode,
  isFirst = false,
  isRequired = true,
  isWrong = false,
  label,
  maximum = 256,
  name,
  type,
  value = '',
}: Field): Markup {
  const invalid = isWrong ? markup` aria-invalid="true"` : null;
  const described = describedBy === undefined ? null : markup` aria-describedby="${describedBy}"`;
  const required = isRequired ? markup` required` : null;
  const keyboard = inputMode === undefined ? null : markup` inputmode="${inputMode}"`;
  const first = isFirst ? markup` autofocus` : null;
  const plain = type === 'text' ? markup` autocapitalize="none" autocorrect="off" spellcheck="false"` : null;
  return markup`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}"${required}
 maxlength="${maximum}"${keyboard}${plain}${invalid}${described}${first}></div>`;
}

/** Renders a hidden field that tells password managers whose password the other fields contain. */
export const usernameFor = (login: string): Markup =>
  markup`<input type="text" name="username" value="${login}" autocomplete="username" hidden readonly>`;
