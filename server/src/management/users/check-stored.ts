import { invalid } from '../../kernel/errors/errors.ts';
import { storedText } from '../../kernel/stored.ts';
import { loginKey, NORMAL_FORM_VERSION } from '../../kernel/texts/text.ts';
import type { Members } from '../../kernel/words/members.ts';

export function checkStoredUser(row: Members): void {
  const login = storedText(row, 'login');
  const profile = row['profile'] as Members;
  if (profile['login'] !== login) throw invalid('profile.login', 'must be the login of the user.');
  if (row['normal_form_version'] !== NORMAL_FORM_VERSION)
    throw invalid('normal_form_version', 'is of another release.');
  if (storedText(row, 'login_key') !== loginKey(login)) throw invalid('login_key', 'must be that of the login.');
}
