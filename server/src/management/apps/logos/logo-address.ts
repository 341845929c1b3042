/** A logo that was uploaded for an app. */
export interface ShownLogo {
  readonly id: string;
  readonly mediaType: string;
}

/** Path under which logos are served, without sign-in. */
export const LOGO_FILES = '/fs/bco/4';
export const DEFAULT_LOGO = '/assets/img/logos/default.svg';

/** Address and type of an app's logo; the default one if none was uploaded. */
export const logoAddress = (
  logo: ShownLogo | null,
  baseUrl: string,
): { readonly href: string; readonly type: string } =>
  logo === null
    ? { href: `${baseUrl}${DEFAULT_LOGO}`, type: 'image/svg+xml' }
    : { href: `${baseUrl}${LOGO_FILES}/${logo.id}`, type: logo.mediaType };
