/** What accounts, buckets and consumers may be called: it stands in paths as it is. */
export const namePattern = /^[a-z0-9-]{1,128}$/;

export const namePatternText = "1 to 128 characters of a-z, 0-9 and -";
