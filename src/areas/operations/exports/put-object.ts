/**
 * Writes an object completely or not at all, from pieces that are not kept: the next one is taken when there is room
 * for it. Writing the object again replaces it.
 */
export type PutObject = (path: string, pieces: AsyncIterable<Uint8Array>) => Promise<void>;
