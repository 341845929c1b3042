import { invalid } from '../../kernel/errors/errors.ts';
import { notOneOf, notValid } from '../../kernel/errors/field-errors.ts';
import { storedText } from '../../kernel/stored.ts';
import { isAbsent, type Members } from '../../kernel/words/members.ts';
import { FACTOR_KINDS } from './kinds/factor-kinds.ts';
import { isQuestion, QUESTION_KEYS } from './kinds/question-rules.ts';

export function checkStoredFactor(row: Members): void {
  const [factorType, provider] = [storedText(row, 'factor_type'), storedText(row, 'provider')];
  const kind = FACTOR_KINDS.find((one) => one.factorType === factorType && one.provider === provider);
  if (kind === undefined) throw invalid('factor_type', 'is not a factor of this provider.');
  const isQuestionnaire = kind.proof === 'answer';
  if (isQuestionnaire && !isQuestion(storedText(row, 'question'))) throw notOneOf('question', QUESTION_KEYS);
  const secret = isQuestionnaire ? 'answer' : 'sealed_secret';
  if (isAbsent(row[secret])) throw invalid(secret, 'must be present.');
  if (isQuestionnaire && row['status'] !== 'ACTIVE') throw notValid('status');
}
