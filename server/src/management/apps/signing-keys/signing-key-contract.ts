import { Type } from '@sinclair/typebox';

export const SigningKeyParams = Type.Object({ appId: Type.String(), keyId: Type.String() });
export const CsrParams = Type.Object({ appId: Type.String(), csrId: Type.String() });

const Instant = Type.String({ format: 'date-time' });

export const SigningKeySchema = Type.Object({
  kty: Type.Literal('RSA'),
  created: Instant,
  lastUpdated: Instant,
  expiresAt: Type.Optional(Instant),
  kid: Type.String(),
  use: Type.Literal('sig'),
  x5c: Type.Optional(Type.Array(Type.String())),
  'x5t#S256': Type.Optional(Type.String()),
  e: Type.String(),
  n: Type.String(),
});
export const SigningKeyListSchema = Type.Array(SigningKeySchema);

export const CsrSchema = Type.Object({
  id: Type.String(),
  created: Instant,
  csr: Type.String({ description: 'The request (PKCS #10, DER) in base64.' }),
  kty: Type.Literal('RSA'),
  _links: Type.Record(Type.String(), Type.Unknown()),
});
export const CsrListSchema = Type.Array(CsrSchema);

const part = (maximum: number, description: string) =>
  Type.Optional(
    Type.Union([
      Type.String({ minLength: 1, maxLength: maximum, pattern: '^[^\\u0000-\\u001f]*$', description }),
      Type.Null(),
    ]),
  );

export const CsrBody = Type.Object({
  subject: Type.Object(
    {
      countryName: part(128, 'The country, by its code of two letters or by its name.'),
      stateOrProvinceName: part(128, 'The state or the province.'),
      localityName: part(128, 'The city.'),
      organizationName: part(64, 'The organization.'),
      organizationalUnitName: part(64, 'The department.'),
      commonName: part(64, 'The name that the certificate is for, such as a domain name.'),
    },
    { description: 'The subject, which has at least one part.' },
  ),
  subjectAltNames: Type.Optional(
    Type.Union([
      Type.Object({
        dnsNames: Type.Optional(
          Type.Union([
            Type.Array(Type.String({ pattern: '^(\\*\\.)?[A-Za-z\\d]([A-Za-z\\d.-]{0,251}[A-Za-z\\d])?$' }), {
              maxItems: 100,
            }),
            Type.Null(),
          ]),
        ),
      }),
      Type.Null(),
    ]),
  ),
});

export const CertificateBody = Type.Unsafe<Buffer>({ type: 'string', format: 'binary' });
export const CERTIFICATE_TYPES = [
  'application/x-x509-ca-cert',
  'application/pkix-cert',
  'application/x-pem-file',
] as const;
