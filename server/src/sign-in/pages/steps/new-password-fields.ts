import type { PasswordPolicy } from '../../../kernel/words/password-policy.ts';
import { type Markup, markup, type Translate } from '../../../platform/pages/index.ts';
import { field } from '../form-parts.ts';
import { listedRules } from './password-rules.ts';

const RULES = 'rules';
/** With a limit close to the server's, browsers would silently shorten passwords that the server should refuse. */
const MAXIMUM = 288;

export interface PasswordFault {
  /** The list is empty if the two typed passwords differ. */
  readonly reasons: readonly string[];
}

export function newPasswordFields(
  t: Translate,
  policy: PasswordPolicy,
  { fault, isFirst }: { readonly fault: PasswordFault | null; readonly isFirst: boolean },
): Markup {
  const rules = listedRules(policy).map(({ count, message, reason }) => {
    const text = t(`password.rule.${message}`, { count });
    const isUnmet = fault?.reasons.includes(reason) === true;
    return isUnmet ? markup`<li class="unmet">${text} (${t('password.unmet')})</li>` : markup`<li>${text}</li>`;
  });
  const common = { type: 'password', autocomplete: 'new-password', maximum: MAXIMUM, isWrong: fault !== null } as const;
  return markup`<div><p id="${RULES}-heading">${t('password.rules')}</p>
<ul class="rules" id="${RULES}" aria-labelledby="${RULES}-heading">${rules}</ul></div>
${field({ ...common, name: 'newPassword', label: t('field.newPassword'), describedBy: RULES, isFirst })}
${field({ ...common, name: 'repeatPassword', label: t('field.repeatPassword') })}`;
}
