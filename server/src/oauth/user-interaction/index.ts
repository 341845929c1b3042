export { beginUserInteraction } from './begin-user-interaction.ts';
export {
  openSignedIn,
  QuestionForm,
  showQuestion,
  submitAnswer,
  type UserInteractionPorts,
} from './confirm-request.ts';
export { overPage } from './confirmation-pages.ts';
export { isFor, isWaiting } from './find-user-interaction.ts';
export { POLLING_FLOWS } from './polling-flows.ts';
