/** Deeper documents would make recursion over them a danger. */
export const deepest = 100;

/**
 * Names count too. A parser keeps up to a kilobyte for each of them. What YAML aliases repeat counts every time: a few bytes of
 * those can stand for billions of values.
 */
export const mostValues = 500_000;

export const tooDeep = `is nested more than ${deepest} levels deep`;
export const tooMany = `holds more than ${mostValues} names and values`;
