/** The condition of a change to the user. The parameters of each change are the org, the user and the app. */
export const USER = 'org_id = $1 and id = $2 and $3::text is not null';
const APP = 'org_id = $1 and id = $3 and $2::text is not null';
/** Locks the app, as changes to what it owns do. */
export const HELD_APP = `with held as materialized (select org_id, id from apps where ${APP} for update)`;

export const REFUSED_GRANT = { status: 400, body: { error: 'invalid_grant' } };
/** Changes that void a grant or its tokens, and the answer to a token request that sees them. */
export const PARENT_CHANGES = [
  ['the user is suspended', `update users set status = 'SUSPENDED' where ${USER}`, REFUSED_GRANT],
  ['the user is deleted', `delete from users where ${USER}`, REFUSED_GRANT],
  ["the user's tokens are voided", `update users set valid_after = clock_timestamp() where ${USER}`, REFUSED_GRANT],
  ["the app's tokens are voided", `update apps set valid_after = clock_timestamp() where ${APP}`, REFUSED_GRANT],
  ['the app is deactivated', `update apps set status = 'INACTIVE' where ${APP}`, { status: 401 }],
  [
    'a scope is taken from the app',
    `${HELD_APP} delete from app_grants g using held where g.org_id = held.org_id and g.app_id = held.id`,
    { status: 400, body: { error: 'invalid_scope' } },
  ],
  [
    'the app is taken from the user',
    `${HELD_APP} delete from app_users a using held where a.org_id = held.org_id and a.app_id = held.id`,
    { status: 400, body: { error: 'access_denied' } },
  ],
  [
    'the app is given to the user anew',
    `${HELD_APP} update app_users a set valid_from = clock_timestamp() from held
      where a.org_id = held.org_id and a.app_id = held.id`,
    REFUSED_GRANT,
  ],
] as const;
