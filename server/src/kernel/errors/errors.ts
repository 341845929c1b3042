import type { Problem } from './problems.ts';

/** The contract's error codes that this service uses (error-codes.json). `{name}` in a summary is a placeholder. */
export const ERRORS = {
  E0000001: { status: 400, summary: 'Api validation failed: {field}' },
  E0000002: { status: 400, summary: 'The request was not valid: {reason}' },
  E0000003: { status: 400, summary: 'The request body was not well-formed.' },
  E0000004: { status: 401, summary: 'Authentication failed' },
  E0000005: { status: 403, summary: 'Invalid session' },
  E0000006: { status: 403, summary: 'You do not have permission to perform the requested action' },
  E0000007: { status: 404, summary: 'Not found: {what}' },
  E0000008: { status: 404, summary: 'The requested path was not found' },
  E0000009: { status: 500, summary: 'Internal Server Error' },
  E0000011: { status: 401, summary: 'Invalid token provided' },
  E0000014: { status: 403, summary: 'Update of credentials failed' },
  E0000016: { status: 403, summary: 'Activation failed because the user is already active' },
  E0000017: { status: 403, summary: 'Password reset failed' },
  E0000018: { status: 400, summary: 'Bad request. Accept and/or Content-Type headers are likely not set.' },
  E0000019: {
    status: 400,
    summary: 'Bad request. Accept and/or Content-Type headers likely do not match supported values.',
  },
  E0000021: { status: 400, summary: 'Bad request. Accept and/or Content-Type headers are not supported.' },
  E0000022: { status: 405, summary: 'The endpoint does not support the provided HTTP method' },
  E0000028: { status: 400, summary: 'The request is missing a required parameter.' },
  E0000029: { status: 400, summary: 'Invalid paging request.' },
  E0000031: { status: 400, summary: 'Invalid search criteria.' },
  E0000032: { status: 403, summary: 'Unlock is not allowed for this user.' },
  E0000033: { status: 400, summary: "Bad request. Can't specify a search query and filter in the same request." },
  E0000034: { status: 403, summary: 'Forgot password not allowed on specified user.' },
  E0000035: { status: 403, summary: 'Change password not allowed on specified user.' },
  E0000036: { status: 403, summary: 'Change recovery question not allowed on specified user.' },
  E0000037: { status: 400, summary: 'Type mismatch exception. {detail}' },
  E0000038: { status: 403, summary: "This operation is not allowed in the user's current status." },
  E0000041: { status: 400, summary: 'Credentials should not be set on this resource based on the scheme.' },
  E0000046: { status: 403, summary: 'Deactivate application for user forbidden.' },
  E0000056: { status: 403, summary: 'Delete application forbidden.' },
  E0000047: { status: 429, summary: 'API call exceeded rate limit due to too many requests.' },
  E0000053: { status: 400, summary: '{detail}' },
  E0000064: { status: 401, summary: 'Password is expired and must be changed.' },
  E0000060: { status: 501, summary: 'Unsupported operation.' },
  E0000062: { status: 409, summary: 'The specified user is already assigned to the application.' },
  E0000068: { status: 403, summary: 'Invalid Passcode/Answer' },
  E0000069: { status: 403, summary: 'User Locked' },
  E0000077: { status: 403, summary: 'Cannot modify the {attribute} attribute because it is read-only.' },
  E0000078: { status: 403, summary: 'Cannot modify the {attribute} attribute because it is immutable.' },
  E0000079: { status: 403, summary: 'This operation is not allowed in the current authentication state.' },
  E0000080: {
    status: 403,
    summary: 'The password does not meet the complexity requirements of the current password policy.',
  },
  E0000082: {
    status: 403,
    summary: 'Each code can only be used once. Please wait for a new code and try again.',
  },
  E0000087: { status: 403, summary: 'The recovery question answer did not match our records.' },
  E0000090: { status: 409, summary: 'The role specified is already assigned to the user.' },
  E0000091: { status: 400, summary: 'The provided role type was not the same as required role type.' },
  E0000095: { status: 403, summary: 'Recovery not allowed for unknown user.' },
  E0000117: { status: 403, summary: 'Cannot assign apps or update app profiles for an inactive user.' },
  E0000122: { status: 406, summary: "Accept Header did not contain supported media type 'application/json'" },
  E0000119: { status: 403, summary: 'Your account is locked. Please contact your administrator.' },
  E0000124: {
    status: 400,
    summary: 'Could not create user. To create a user and force a password change a password must be specified.',
  },
  E0000125: {
    status: 400,
    summary: 'Could not create user. To create a user and force a password change the user must be activated.',
  },
  E0000127: { status: 409, summary: 'Invalid linked objection definition. {reason}' },
  E0000154: { status: 410, summary: 'Invalid factor id, it is not currently active.' },
  E0000181: { status: 503, summary: 'Service temporarily unavailable.' },
  E0000192: { status: 400, summary: 'Roles cannot be granted to groups with group membership rules. {reason}' },
  E0000193: { status: 400, summary: 'Roles can only be granted to groups with 5000 or less users. {reason}' },
  E0000194: { status: 400, summary: 'Roles can only be granted to groups of this org. {reason}' },
  E0000182: { status: 409, summary: 'A default email template customization already exists.' },
  E0000183: { status: 409, summary: 'An email template customization for that language already exists.' },
  E0000184: { status: 409, summary: "A default email template customization can't be deleted." },
  E0000185: {
    status: 409,
    summary: "The isDefault parameter of the default email template customization can't be set to false.",
  },
  E0000189: { status: 422, summary: 'This template does not support the recipients value.' },
  E0000195: { status: 409, summary: 'Api validation failed due to conflict: {reason}' },
  E0000211: { status: 400, summary: 'Roles cannot be granted to built-in groups: {reason}' },
  E0000231: { status: 412, summary: "ETag value doesn't match." },
  E0000242: { status: 400, summary: 'ETag syntax is invalid.' },
} as const satisfies Record<string, { status: number; summary: string }>;

export type ErrorCode = keyof typeof ERRORS;

type Placeholder<Summary> = Summary extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholder<Rest> : never;
type Placeholders<Code extends ErrorCode> = Placeholder<(typeof ERRORS)[Code]['summary']>;

export interface ErrorCause {
  errorSummary: string;
  reason?: string;
  location?: string;
  locationType?: string;
  domain?: string;
}

export interface ApiErrorOptions {
  causes?: readonly (string | ErrorCause)[];
  /** This status replaces the one in the table for cases that need another, such as 411, 413 or 431. */
  status?: number;
  /** This summary replaces the one in the table if that one does not fit the case. */
  summary?: string;
  headers?: Readonly<Record<string, string>>;
  /** The reason, which only the server's log shows. */
  cause?: unknown;
}

/** The maximum number of causes in a refusal. A request with 100,000 faults must not get 100,000 causes. */
const MAXIMUM_CAUSES = 50;

/** A refusal with a code from `ERRORS`. Throwing it rolls back the unit of work. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly causes: readonly ErrorCause[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, summary: string, options: ApiErrorOptions = {}) {
    super(summary, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = options.status ?? ERRORS[code].status;
    this.causes = (options.causes ?? [])
      .slice(0, MAXIMUM_CAUSES)
      .map((cause) => (typeof cause === 'string' ? { errorSummary: cause } : cause));
    this.headers = options.headers ?? {};
  }
}

type Arguments<Code extends ErrorCode> = [Placeholders<Code>] extends [never]
  ? [options?: ApiErrorOptions]
  : [placeholders: Readonly<Record<Placeholders<Code>, string>>, options?: ApiErrorOptions];

export function apiError<Code extends ErrorCode>(code: Code, ...rest: Arguments<Code>): ApiError {
  const template: string = ERRORS[code].summary;
  const takesPlaceholders = template.includes('{');
  const placeholders = (takesPlaceholders ? rest[0] : {}) as Readonly<Record<string, string>>;
  const options = ((takesPlaceholders ? rest[1] : rest[0]) ?? {}) as ApiErrorOptions;
  const summary = options.summary ?? template.replace(/\{(\w+)\}/g, (_, name: string) => placeholders[name] ?? '');
  return new ApiError(code, summary, options);
}

/** Makes the 404 error E0000007. Ids of other orgs get it too, so that ids can't be probed across orgs. */
export const notFound = (id: string, type: string): ApiError =>
  apiError('E0000007', { what: `Resource not found: ${id} (${type})` });

/** Makes the 400 error E0000001 for one field. The cause names the field in front of the problem. */
export const invalid = (field: string, problem: Problem): ApiError =>
  apiError('E0000001', { field }, { causes: [`${field}: ${problem}`] });

export const invalidObject = (name: string, causes: readonly (string | ErrorCause)[]): ApiError =>
  apiError('E0000001', { field: name }, { causes });

/** Makes the error object of a response (specification 2.1). */
export const newErrorBody = (error: ApiError, errorId: string) => ({
  errorCode: error.code,
  errorSummary: error.message,
  errorLink: error.code,
  errorId,
  errorCauses: error.causes,
});
