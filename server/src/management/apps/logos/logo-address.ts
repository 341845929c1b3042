export interface ShownLogo {
  readonly id: string;
  readonly mediaType: string;
}

export const LOGO_FILES = '/fs/bco/4';
export const DEFAULT_LOGO = '/assets/img/logos/default.svg';

export const logoAddress = (
  logo: ShownLogo | null,
  baseUrl: string,
): { readonly href: string; readonly type: string } =>
  logo === null
    ? { href: `${baseUrl}${DEFAULT_LOGO}`, type: 'image/svg+xml' }
    : { href: `${baseUrl}${LOGO_FILES}/${logo.id}`, type: logo.mediaType };
