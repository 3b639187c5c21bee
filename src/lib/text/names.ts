/** Names of accounts and key buckets; valid in paths without escaping. */
export const namePattern = /^[a-z0-9_-]{1,128}$/;

export const namePatternText = "1 to 128 characters of a-z, 0-9, _ and -";

/** Without underscores: for names of consumers and names that appear in a host name. */
export const plainNamePattern = /^[a-z0-9-]{1,128}$/;

export const plainNamePatternText = "1 to 128 characters of a-z, 0-9 and -";
