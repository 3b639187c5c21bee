/** Limits the depth of recursive functions. */
export const deepest = 100;

/**
 * The maximum number of names and values. A parser uses up to a kilobyte for each of them. Values repeated by YAML
 * aliases count every time: a few bytes can expand to billions of values.
 */
export const mostValues = 500_000;

export const tooDeep = `is nested more than ${deepest} levels deep`;
export const tooMany = `holds more than ${mostValues} names and values`;
