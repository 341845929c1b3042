export {
  openSignedIn,
  type PolledQuestionPorts,
  QuestionForm,
  sendAnswer,
  showQuestion,
} from './ask-polled-question.ts';
export { beginPolledQuestion } from './begin-polled-question.ts';
export { isFor, isWaiting } from './find-polled-question.ts';
export { QUESTION_KINDS } from './question-kinds.ts';
export { overPage } from './question-pages.ts';
