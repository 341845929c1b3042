import { choice, list, object, optional, text } from '../types/document-rules.ts';

const MAXIMUM_PLATFORMS = 20;

const version = object({ matchType: choice(['EXPRESSION', 'SEMVER']), value: text() });

const platforms = <const Type extends string, const System extends string>(
  types: readonly Type[],
  systems: readonly System[],
) => {
  const platform = object({
    type: choice(types),
    os: optional(object({ type: choice(systems), expression: optional(text(1_024)), version: optional(version) })),
  });
  const some = optional(list(platform, { maximum: MAXIMUM_PLATFORMS }));
  return object({ include: some, exclude: some });
};

export const accessPlatforms = platforms(
  ['ANY', 'DESKTOP', 'MOBILE', 'OTHER'],
  ['ANY', 'ANDROID', 'CHROMEOS', 'IOS', 'LINUX', 'MACOS', 'OSX', 'WINDOWS', 'OTHER'],
);

export const signalPlatforms = platforms(['DESKTOP', 'MOBILE'], ['ANDROID', 'CHROMEOS', 'IOS', 'MACOS', 'WINDOWS']);
