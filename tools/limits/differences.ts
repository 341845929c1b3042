interface Difference {
  readonly where: string;
  readonly here: string;
}

const differs = (where: string, here: string): Difference => ({ where, here });

// biome-ignore format: one difference a line
export const DIFFERENCES: readonly Difference[] = [
  differs('`revokeSessions` of a password change', 'If it is absent, sessions end (the contract keeps them). An explicit `false` is honoured unless recovery reset the password.'),
  differs('A reset of the password, where a policy asks for a second factor', 'A user without a factor is not signed in: the answer is `SUCCESS` with `recoveryType` `PASSWORD` and no session token (ADR 0092).'),
  differs('`warnBeforePasswordExpired`, where a policy asks for a second factor', 'Nobody is warned: a password alone must not change itself.'),
  differs('`GET /api/v1/users/{id}/devices`', 'The list is always empty, because devices cannot be enrolled.'),
  differs('`GET /api/v1/idps/{id}/users`', 'The list is always empty, because nobody can sign in with another provider yet.'),
  differs('Activating or deactivating a client secret', 'The answer does not show the secret again.'),
  differs('Redirect URIs with a private-use scheme', 'Only apps of the type `native` may have them (RFC 8252, section 7.1).'),
  differs('A chosen `client_id`', 'It must have 6 to 100 characters of `A-Z a-z 0-9 . _ -`; the contract allows more characters.'),
  differs('`/api/v1/apps/{id}/credentials/keys`', 'The list shows the key of the org, which has no certificate and cannot be cloned to other apps.'),
  differs('System resource sets', 'There are none, because `WORKFLOWS_IAM_POLICY` and its role have no meaning here.'),
  differs('`POST /api/v1/authn` with the status `SUCCESS`', 'The answer has no `_links.cancel`, because there is no state token to cancel.'),
  differs('`GET /api/v1/org`', 'The links `contacts`, `preferences`, `logo` and `uploadLogo` are absent, because these operations do not exist.'),
  differs('Email templates', 'There are `AccountLockout`, `ForgotPassword`, `SelfServiceUnlock` and `UserActivation`. The texts of other mails cannot be changed. Other names, such as `welcome`, answer 404.'),
  differs('`GET /api/v1/users/{id}`', 'The link `resetFactors` is absent, because it would cost every reading of a user a look at their factors.'),
  differs('Groups', 'They have neither a logo nor a link to one.'),
  differs('`idp` of `/oauth2/v1/authorize`', 'It must name the org itself.'),
  differs('`GET /api/v1/idps/{id}/metadata.xml`', 'Only providers of the type `SAML2` have metadata. For others the answer is 501 `E0000060`.'),
  differs('Group owners', 'They are users and groups of the org. Resource names have one partition, the namespace word.'),
];
