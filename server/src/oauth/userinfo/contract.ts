import { Type } from '@sinclair/typebox';

/** The form may contain the token (RFC 6750 2.2). */
export const UserInfoForm = Type.Object({
  access_token: Type.Optional(
    Type.String({ description: 'The access token, if it is not in the `Authorization` header.' }),
  ),
});

/** The subject, and the claims of the token's scopes (OpenID Connect Core 5.3.2). */
export const UserInfoSchema = Type.Object({ sub: Type.String() }, { additionalProperties: true });
