import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, relative, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FILES, ROOT, read, TYPESCRIPT } from './repository-files.ts';

/** The maximum number of source files directly in a folder of server/src. Tests do not count. */
const MOST_FILES_IN_A_FOLDER = 12;

describe('the layout', () => {
  const sources = TYPESCRIPT.filter((path) => path.startsWith('server/src/') && !path.endsWith('.test.ts'));

  test('the root of the sources holds the entry and folders alone', () => {
    expect(sources.filter((path) => dirname(path) === 'server/src')).toEqual(['server/src/main.ts']);
  });

  test('a folder has at most 12 source files', () => {
    const counts = new Map<string, number>();
    for (const path of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBeGreaterThan(1);
    expect([...counts].filter(([, count]) => count > MOST_FILES_IN_A_FOLDER)).toEqual([]);
  });

  test('files that a README of an area names are there', () => {
    const readmes = FILES.filter((path) => /^server\/src\/.+\/README\.md$/.test(path));
    const missing = readmes.flatMap((path) => {
      const named = [...read(path).matchAll(/`([\w./-]+\.ts)`/g)].map(([, name]) => name ?? '');
      const isMissing = (name: string) => !FILES.some((file) => file === name || file.endsWith(`/${name}`));
      return named.filter(isMissing).map((name) => `${path}: ${name}`);
    });
    expect(readmes.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });

  test('the page about the architecture names every folder of the sources', () => {
    const folders = new Set(sources.map((path) => path.split('/')[2] ?? '').filter((name) => !name.endsWith('.ts')));
    const page = read('ARCHITECTURE.md');
    expect(folders.size).toBe(16);
    expect([...folders].filter((folder) => !page.includes(`\`${folder}/`))).toEqual([]);
  });
});

describe('migrations', () => {
  // An installation refuses to start if a migration has changed since it was applied.
  test('those of releases are what they were', () => {
    const released = JSON.parse(read('tools/tidy/released-migrations.json')) as Readonly<Record<string, string>>;
    const releases = JSON.parse(read('releases.json')) as readonly { schema: number }[];
    const changed = Object.entries(released).filter(
      ([name, checksum]) =>
        createHash('sha256')
          .update(read(`server/migrations/${name}`))
          .digest('hex') !== checksum,
    );
    expect(Object.keys(released)).toHaveLength(releases.at(-1)?.schema ?? 0);
    expect(changed).toEqual([]);
  });
});

describe('documents', () => {
  const source = join(ROOT, 'server', 'src');
  const folders = (path: string) =>
    existsSync(path)
      ? readdirSync(path, { withFileTypes: true })
          .filter((entry) => entry.isDirectory() && FILES.some((file) => file.startsWith(prefix(path, entry.name))))
          .map((entry) => join(path, entry.name))
      : [];
  const prefix = (...parts: string[]) =>
    `${relative(ROOT, join(...parts))
      .split(sep)
      .join('/')}/`;

  test('every area says in at most 30 lines what it owns', () => {
    const areas = folders(source).flatMap((path) =>
      basename(path) === 'management' ? [path, ...folders(path)] : [path],
    );
    const problems = areas.flatMap((path) => {
      const readme = join(path, 'README.md');
      if (!existsSync(readme)) return [`${relative(ROOT, path)} has no README.md`];
      const lines = readFileSync(readme, 'utf8').trimEnd().split('\n').length;
      return lines > 30 ? [`${relative(ROOT, readme)} has ${lines} lines`] : [];
    });
    expect(problems).toEqual([]);
  });

  test('every decision has a number of its own, a status and at most a page', () => {
    const decisions = FILES.filter((path) => path.startsWith('docs/decisions/'));
    const problems = decisions.flatMap((path) => {
      const text = read(path);
      const found = [];
      if (!/^docs\/decisions\/\d{4}-[a-z0-9-]+\.md$/.test(path)) found.push(`${path}: not NNNN-title.md`);
      if (!/^Status: (Proposed|Accepted|Superseded by \d{4})/m.test(text)) found.push(`${path}: no status`);
      if (text.split('\n').length > 60) found.push(`${path}: longer than a page`);
      return found;
    });
    const numbers = decisions.map((path) => basename(path).slice(0, 4)).sort();
    expect(problems).toEqual([]);
    expect(numbers).toEqual(numbers.map((_, index) => String(index + 1).padStart(4, '0')));
  });

  test('the newest release is the version of the packages and of the changelog', () => {
    const releases = JSON.parse(read('releases.json')) as readonly { version: string }[];
    const version = releases.at(-1)?.version;
    const versionOf = (path: string) => (JSON.parse(read(path)) as { version: string }).version;
    expect([versionOf('package.json'), versionOf('server/package.json')]).toEqual([version, version]);
    expect(/^## (\d+\.\d+\.\d+) /m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
  });

  test('links between documents lead somewhere', () => {
    const documents = FILES.filter((path) => path.endsWith('.md'));
    const broken = documents.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)]
        .map(([, target]) => target ?? '')
        .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});

describe('the tiers of the gate', () => {
  const config = read('vitest.config.ts');
  const projects = [...config.matchAll(/name: '(\w+)',\s*include: \[([^\]]*)\]/g)].map(
    ([, name = '', include = '']) => ({
      name,
      patterns: [...include.matchAll(/'([^']+)'/g)].map(([, pattern = '']) => pattern),
    }),
  );

  const rows = read('tools/gate/tiers.mjs').matchAll(/^ {2}(\w+): \{.*projects: \[([^\]]*)\]/gm);
  const tiers = [...rows].map(([, name = '', listed = '']) => ({
    name,
    projects: [...listed.matchAll(/'(\w+)'/g)].map(([, project = '']) => project),
  }));

  test('each test file belongs to one project, and each project to one tier', () => {
    const tests = FILES.filter((path) => path.endsWith('.test.ts'));
    const stray = tests
      .map((path) => [path, projects.filter(({ patterns }) => patterns.some((one) => matchesGlob(path, one)))] as const)
      .filter(([, found]) => found.length !== 1)
      .map(([path, found]) => `${path}: ${found.map(({ name }) => name).join(', ') || 'no project'}`);
    expect(stray).toEqual([]);
    expect(tiers.flatMap((tier) => tier.projects).toSorted()).toEqual(projects.map(({ name }) => name).toSorted());
  });

  test('the gate runs every tier', () => {
    const gate = read('.ci/run');
    expect(gate).toContain('step npm test\n');
    const missing = tiers.filter(({ name }) => name !== 'core' && !gate.includes(`--tier ${name}\n`));
    expect(missing).toEqual([]);
  });
});
