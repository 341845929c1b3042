// This file declares the walls between the parts of the tree (ARCHITECTURE.md). tools/walls.mjs checks them, and proves
// on an invented tree that each of them can fail.

/** A slice may import only slices above it in this list. It reaches others through reactions or ports from app/. */
const SLICE_ORDER = [
  'management/resource',
  'management/orgs',
  'management/features',
  'management/trusted-origins',
  'management/event-hooks',
  'management/log-streams',
  'management/schemas',
  'management/users',
  'management/factors',
  'management/linked-objects',
  'management/custom-roles',
  'management/resource-sets',
  'management/roles',
  'management/api-tokens',
  'management/groups',
  'management/group-rules',
  'management/zones',
  'management/behaviors',
  'management/brands',
  'management/identity-providers',
  'management/apps',
  'management/profile-mappings',
  'management/app-assignments',
  'management/policies',
  'management/authorization-servers',
  'sign-in',
  'oauth',
  'directory-transfer',
];

const SOURCE = '^server/src/';
const SLICE = `${SOURCE}(access|system-log|sign-in|oauth|directory-transfer|management/[^/]+)/`;
/** `main.ts` and the folders that may import every area. */
const COMPOSITION = `${SOURCE}(main\\.ts$|(app|process|installation|cli)/)`;
/** The folders that have walls of their own against areas. */
const PURE_FOLDERS = `${SOURCE}(kernel|platform|filter|expression|search|settings)/`;
const SETTINGS = `${SOURCE}settings/`;
const TEST = '\\.test\\.ts$';
const PURE = '(contract|lifecycle|rules)\\.ts$';
/**
 * The files that contain the catalogue and the shape of events. Pure files may import them. They are pure too, although
 * their names do not say so.
 */
const EVENT_CATALOGUE = `${SOURCE}system-log/write/(event|events|event-kinds|application-events|user-events)\\.ts$`;
const packages = (...names) => names.map((name) => `(^|/)node_modules/${name}/`);

const wall = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const slicesRightOf = (index) => `${SOURCE}(${SLICE_ORDER.slice(index + 1).join('|')})/`;

module.exports = {
  sliceOrder: SLICE_ORDER,
  forbidden: [
    wall('no-cycles', 'Two files that need each other are one thing in two places.', {}, { circular: true }),
    wall('no-unresolved', 'An import that leads nowhere.', {}, { couldNotResolve: true }),
    wall(
      'kernel-stands-alone',
      'The kernel holds the words that all areas share; it imports nothing but itself and Node.',
      { path: `${SOURCE}kernel/`, pathNot: TEST },
      { pathNot: `${SOURCE}kernel/`, dependencyTypesNot: ['core'] },
    ),
    wall(
      'platform-knows-no-area',
      'Adapters know the kernel and one another, no domain.',
      { path: `${SOURCE}platform/` },
      { path: SOURCE, pathNot: `${SOURCE}(platform|kernel)/` },
    ),
    wall(
      'filter-knows-the-kernel-only',
      'The filter language serves every area.',
      { path: `${SOURCE}filter/` },
      { path: SOURCE, pathNot: `${SOURCE}(filter|kernel)/` },
    ),
    wall(
      'search-knows-no-area',
      'It serves every table that has an index of its values.',
      { path: `${SOURCE}search/` },
      { path: SOURCE, pathNot: `${SOURCE}(search|filter|platform|kernel)/` },
    ),
    wall(
      'expression-knows-the-kernel-only',
      'The expression language serves every area.',
      { path: `${SOURCE}expression/` },
      { path: SOURCE, pathNot: `${SOURCE}(expression|kernel)/` },
    ),
    wall(
      'areas-do-not-look-up',
      'The composition knows the areas, never the other way round.',
      { path: SLICE },
      { path: [COMPOSITION, SETTINGS] },
    ),
    wall(
      'settings-know-no-area',
      'The table of settings is read before anything runs.',
      { path: SETTINGS, pathNot: TEST },
      { path: SOURCE, pathNot: `${SOURCE}(settings|kernel|platform)/` },
    ),
    wall(
      'only-the-composition-imports-areas',
      'Whatever is not an area and imports one belongs to app/, process/, installation/ or cli/.',
      { path: SOURCE, pathNot: [SLICE, COMPOSITION, PURE_FOLDERS, TEST] },
      { path: SLICE },
    ),
    wall(
      'front-doors',
      'Slices meet at index.ts only.',
      { path: SLICE },
      { path: SLICE, pathNot: [`${SOURCE}$1/`, `${SLICE}index\\.ts$`] },
    ),
    wall(
      'composition-uses-front-doors',
      'The composition and the command line know index.ts and routes.ts of a slice.',
      { path: COMPOSITION, pathNot: TEST },
      { path: SLICE, pathNot: `${SLICE}(index|routes)\\.ts$` },
    ),
    ...SLICE_ORDER.slice(0, -1).map((slice, index) =>
      wall(
        `slice-order-${slice.replace('/', '-')}`,
        'Left may not import right.',
        { path: `${SOURCE}${slice}/` },
        { path: slicesRightOf(index) },
      ),
    ),
    wall(
      'access-and-log-know-no-slice',
      'Every slice asks for access and records events; what these two need of a slice comes through a port.',
      { path: `${SOURCE}(access|system-log)/` },
      { path: `${SOURCE}(${SLICE_ORDER.join('|')})/` },
    ),
    wall(
      'one-compiler-of-patterns',
      'Regular expressions that orgs write are bounded by expression/pattern.ts before they are compiled.',
      { path: SOURCE, pathNot: [`${SOURCE}expression/pattern\\.ts$`, TEST] },
      { path: packages('re2js') },
    ),
    wall('main-is-imported-by-nobody', 'main.ts is the process.', { path: SOURCE }, { path: `${SOURCE}main\\.ts$` }),
    wall(
      'sql-in-stores',
      'SQL stands in stores, platform/postgres and filter/to-sql.ts; types of the driver count too.',
      {
        path: SOURCE,
        pathNot: [`${SOURCE}platform/postgres/`, `${SOURCE}filter/to-sql\\.ts$`, '/store\\.ts$', '-store\\.ts$', TEST],
      },
      { path: packages('kysely', 'pg', '@types/pg', 'pg-[^/]+') },
    ),
    wall(
      'http-at-the-edge',
      'Handlers unpack and call; only the edge knows the framework.',
      { path: SOURCE, pathNot: [`${SOURCE}platform/http/`, `${SOURCE}(app/application|main)\\.ts$`] },
      { path: packages('fastify', '@fastify/[^/]+') },
    ),
    wall(
      'pure-files-import-pure-files',
      'Wire schemas, lifecycles and rules can be read and tested without anything running.',
      { path: `${SLICE}.*${PURE}` },
      {
        pathNot: [
          `${SOURCE}(kernel|filter|expression)/`,
          `${SOURCE}$1/.*${PURE}`,
          EVENT_CATALOGUE,
          ...packages('@sinclair/typebox'),
        ],
      },
    ),
    wall(
      'console-speaks-http',
      'The console imports nothing of the server.',
      { path: '^console/' },
      { path: '^server/' },
    ),
    wall(
      'product-does-not-import-tests',
      'Tests, tools and benchmarks are not shipped.',
      { path: '^(server|console)/src/', pathNot: TEST },
      { path: ['^server/test/', '^(tools|bench)/', TEST] },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
