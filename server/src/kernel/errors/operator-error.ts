/**
 * The base of errors that an operator can act on. The message says what is wrong and what to do, so programs print it
 * without a stack.
 */
export class OperatorError extends Error {}
