/** What accounts and key buckets may be called: it stands in paths as it is. */
export const namePattern = /^[a-z0-9_-]{1,128}$/;

export const namePatternText = "1 to 128 characters of a-z, 0-9, _ and -";

/** The same without underscores: what consumers may be called, and what a host name may hold. */
export const plainNamePattern = /^[a-z0-9-]{1,128}$/;

export const plainNamePatternText = "1 to 128 characters of a-z, 0-9 and -";
