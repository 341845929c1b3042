/**
 * Returns the path in the lock file at which Node finds `name` from the package at `from`, or undefined if there is
 * none.
 */
function locate(packages, name, from) {
  const path = from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`;
  if (packages[path] !== undefined) return path;
  return from === '' ? undefined : locate(packages, name, folderAbove(from));
}

const folderAbove = (path) => path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/')));

/**
 * Returns the sorted paths of the dependencies `names` of the package at `from`, and of the packages that these
 * dependencies need.
 */
export function closureOf(packages, names, from) {
  const found = new Set();
  const visit = (name, isOptional, origin) => {
    const path = locate(packages, name, origin);
    if (path === undefined && !isOptional) throw new Error(`package-lock.json has no ${name}, which ${origin} needs`);
    if (path === undefined || found.has(path)) return;
    found.add(path);
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = packages[path];
    for (const needed of Object.keys(dependencies)) visit(needed, needed in optionalDependencies, path);
    for (const needed of Object.keys({ ...optionalDependencies, ...peerDependencies })) visit(needed, true, path);
  };
  for (const name of names) visit(name, false, from);
  return [...found].sort();
}
