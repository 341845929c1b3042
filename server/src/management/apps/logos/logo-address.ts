/** A logo that was uploaded for an app. */
export interface ShownLogo {
  readonly id: string;
  readonly mediaType: string;
}

/** Where logos are served, at addresses that nobody has to sign in for. */
export const LOGO_FILES = '/fs/bco/4';
export const DEFAULT_LOGO = '/assets/img/logos/default.svg';

/** Where an app's logo is, and what it is; the default one where none was uploaded. */
export const logoAddress = (
  logo: ShownLogo | null,
  baseUrl: string,
): { readonly href: string; readonly type: string } =>
  logo === null
    ? { href: `${baseUrl}${DEFAULT_LOGO}`, type: 'image/svg+xml' }
    : { href: `${baseUrl}${LOGO_FILES}/${logo.id}`, type: logo.mediaType };
