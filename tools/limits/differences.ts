/** Where what is served does otherwise than the published contract says, and how. */
interface Difference {
  readonly where: string;
  readonly here: string;
}

const differs = (where: string, here: string): Difference => ({ where, here });

// biome-ignore format: one difference a line
export const DIFFERENCES: readonly Difference[] = [
  differs('`revokeSessions` of a change of password', 'Where it is left out, sessions end (the contract keeps them). An explicit `false` is honoured, except where the password was reset by recovery.'),
  differs('`GET /api/v1/users/{id}/devices`', 'The list is always empty, as nothing enrolls devices.'),
  differs('`GET /api/v1/idps/{id}/users`', 'The list is always empty, as nobody signs in by another provider.'),
  differs('Activating or deactivating the secret of a client', 'The answer does not show the secret again.'),
  differs('Redirect URIs with a scheme of their own', 'Only apps of the type `native` may have them (RFC 8252, section 7.1).'),
  differs('A chosen `client_id`', 'It has 6 to 100 of `A-Z a-z 0-9 . _ -`; the contract takes more characters.'),
  differs('`/api/v1/apps/{id}/credentials/keys`', 'The key of the org, which stands there, has no certificate and is not cloned to other apps.'),
  differs('Resource sets of the system', 'There are none: `WORKFLOWS_IAM_POLICY` and its role have no meaning here.'),
  differs('`POST /api/v1/authn` with the status `SUCCESS`', 'The answer has no `_links.cancel`, as it has no state token that could be cancelled.'),
  differs('`GET /api/v1/org`', 'The links `contacts`, `preferences`, `logo` and `uploadLogo` are left out, as the operations are not there.'),
  differs('Templates of mails', 'There is one for each mail that is sent: `AccountLockout`, `ForgotPassword`, `SelfServiceUnlock` and `UserActivation`. Other names answer 404, `welcome` among them.'),
  differs('Groups', 'They have no logo, and no link to one.'),
  differs('`idp` of `/oauth2/v1/authorize`', 'It is refused unless it names the org itself.'),
  differs('`GET /api/v1/idps/{id}/metadata.xml`', 'Providers that are not of the type `SAML2` have none: the answer is 501 `E0000060`.'),
  differs('Owners of groups', 'They are users and groups of the org; the word of the namespace is the only partition of resource names.'),
];
