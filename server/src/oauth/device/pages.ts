import type { Answer } from '../../platform/http/index.ts';
import { type Markup, markup, pageAnswer, type View } from '../../platform/pages/index.ts';
import { field, notice } from '../../sign-in/index.ts';
import { POLLING_FLOWS } from '../user-interaction/index.ts';

export interface EntryPage {
  readonly login: string;
  /** The hidden field with the form token. */
  readonly token: Markup;
  /** The value to show in the field: a code, the user's input if that was wrong, or an empty string. */
  readonly userCode: string;
  readonly isWrong: boolean;
}

export function entryPage(view: View, { isWrong, login, token, userCode }: EntryPage): Answer {
  const { brand, t } = view;
  const title = t('device.title');
  const input = field({
    name: 'user_code',
    label: t('device.code'),
    type: 'text',
    autocomplete: 'off',
    value: userCode,
    maximum: 64,
    isFirst: userCode === '',
    isWrong,
    describedBy: 'check',
  });
  const body = markup`<h1>${title}</h1>${isWrong ? notice('bad', t('device.wrong')) : null}
<p class="lead">${t('consent.who', { org: brand.name, login })}</p>
<form method="post" action="${POLLING_FLOWS.DEVICE.enter}">${token}${input}
<p class="lead" id="check">${t('device.check')}</p>
<button type="submit">${t('signIn.next')}</button></form>`;
  return pageAnswer(view, { title, body, status: isWrong ? 400 : 200 });
}

type Done = 'allowed' | 'denied';

export function donePage(view: View, done: Done): Answer {
  const { t } = view;
  const title = t(`device.${done}.title`);
  const body = markup`<h1>${title}</h1><p role="status">${t(`device.${done}`)}</p>`;
  return pageAnswer(view, { title, body });
}
