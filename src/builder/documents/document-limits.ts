/** Limits the depth of recursive functions. */
export const maxDepth = 100;

/**
 * The maximum number of names and values. A parser uses up to a kilobyte for each of them. Values repeated by YAML
 * aliases count every time: a few bytes can expand to billions of values.
 */
export const maxValues = 500_000;

/** The largest public APIs have a few thousand operations; a gateway keeps the routes of all of them in memory. */
export const maxRoutes = 10_000;
/** A path has at least one operation, or serves nothing. */
export const maxPaths = maxRoutes;

export const tooDeep = `is nested more than ${maxDepth} levels deep`;
export const tooMany = `contains more than ${maxValues} names and values`;
export const tooManyPaths = `has more than ${maxPaths} paths: a project has at most that many routes`;
