import { Type } from '@sinclair/typebox';

/** RFC 6750 2.2: the token may be in the form. */
export const UserInfoForm = Type.Object({
  access_token: Type.Optional(
    Type.String({ description: 'The access token, if it is not in the `Authorization` header.' }),
  ),
});

/** OpenID Connect Core 5.3.2: the subject, and the claims of the token's scopes. */
export const UserInfoSchema = Type.Object({ sub: Type.String() }, { additionalProperties: true });
