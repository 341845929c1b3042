import { randomUUID } from 'node:crypto';

export const newOidcProvider = (name = `provider ${randomUUID()}`): Record<string, unknown> => ({
  type: 'OIDC',
  name,
  protocol: {
    type: 'OIDC',
    issuer: { url: 'https://idp.example' },
    endpoints: {
      authorization: { url: 'https://idp.example/authorize', binding: 'HTTP-REDIRECT' },
      token: { url: 'https://idp.example/token', binding: 'HTTP-POST' },
      userInfo: { url: 'https://idp.example/userinfo', binding: 'HTTP-REDIRECT' },
      jwks: { url: 'https://idp.example/keys', binding: 'HTTP-REDIRECT' },
    },
    credentials: { client: { client_id: 'gatehouse', client_secret: 'a secret of the provider' } },
    scopes: ['openid', 'email'],
  },
  policy: {
    accountLink: { action: 'AUTO', filter: null },
    provisioning: { action: 'AUTO', groups: { action: 'NONE' } },
    subject: { userNameTemplate: { template: 'idpuser.email' }, matchType: 'USERNAME' },
  },
});

/** A self-signed RSA certificate in the contract's form, the base64 of its DER. */
const CERTIFICATE = [
  'MIIDDzCCAfegAwIBAgIUZ3Vr85gAFLbFDX2qXEd4YPNVy8cwDQYJKoZIhvcNAQELBQAwFjEUMBIGA1UEAwwLaWRwLmV4YW1wbGUw',
  'IBcNMjYxMTIxMDgwMDA0WhgPMjEyNjEwMjgwODAwMDRaMBYxFDASBgNVBAMMC2lkcC5leGFtcGxlMIIBIjANBgkqhkiG9w0BAQEF',
  'AAOCAQ8AMIIBCgKCAQEAluoMgQDo8gk/j4oDaw+G8Yn4l9YhP2Vh1Ik4QnkhTi9ihinzF7XyVyDjYtmtlNs6rRtUDBoyDxh4tbpa',
  'TTrO8Wd1BwYfx4rdAlPmmWBHoihUVlg1ujyN7M7FCQE4JABSkcUX/K5Ev3Y3Ez3TACpf9JNSPGyw0RxBozn+zWC0lap43PgHJ0Yo',
  'J09Tvb1sLUC0Nc1Ae1loscRnZZRsuAuOjOH3WTmYC/kz1Goxg8cKTLzBWYzvHh6ET8JwMlaaR5BAlB9Xi9yEFVskDllBck573rRK',
  'T6GVpPQNQ7m7Sw0K1ofv9lOtaDHAl4DbGKU64XvQDyIjPNSe1RFWkEHjdNSp/QIDAQABo1MwUTAdBgNVHQ4EFgQUNNUchSYPuKSX',
  'ne0gR+p9UaNVlsowHwYDVR0jBBgwFoAUNNUchSYPuKSXne0gR+p9UaNVlsowDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG9w0BAQsF',
  'AAOCAQEAgLJ5xRCaeYO/jO7KXl/lGTcBS5L45JsYXLCarWt9Ueg9hvUWHvYodzof4u7XDeAFdtfM0f3SmXY1IQQFTsfHJaUbnwJV',
  'L4izEOBpJJTxdobi536vu0RExiOsSkmReaV+ocN/E84P/CScjsnGFTKIJ69zbNfyykvWTOPpcpdNuIgqlFO6bS1OKhOg4XL4k7+B',
  'feM+25GlWjaRx92ioR6p+HyJixlmZkrRd74rYFE6URCVyEvCdjAvHs3AsHNf41+dKSfURClVBmFLN5CIJdBW/iLmXjiDedyGV0S7',
  '2rGcU8TLhv3CspwHmlvcbYadL65XKorRSIGWMpdwAN1GAyT9uw==',
].join('');

export const newProviderKey = (): Record<string, unknown> => ({ x5c: [CERTIFICATE] });
