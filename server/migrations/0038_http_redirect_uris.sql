-- Whether apps may register plain http redirect URIs is a setting of the org now, refused unless it says otherwise.
-- Orgs that are there go on as they were.
update orgs set settings = settings || '{"httpRedirectUris": "allowed"}';
