/** A row of the error tables. `internalCode` names the case more exactly than `error`. */
export interface OAuthErrorRow {
  readonly status: number;
  readonly error: string;
  readonly internalCode: string;
  readonly description: string;
}

export const refusal =
  (status: number, error: string) =>
  (internalCode: string, description: string): OAuthErrorRow => ({ status, error, internalCode, description });

export const badRequest = refusal(400, 'invalid_request');
export const badClient = refusal(401, 'invalid_client');
export const badScope = refusal(400, 'invalid_scope');
