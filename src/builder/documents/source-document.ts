import type { Position } from "./findings.ts";

/** A path in a document: names of members and indexes of items, from the top. */
export type Path = readonly (string | number)[];

/**
 * A parsed document with the position of each value. For a path that does not exist, the nearest position is returned.
 */
export interface SourceDocument {
  file: string;
  value: unknown;
  positionOf(path: Path): Position;
  /** The position of a member's name rather than its value. */
  positionOfKey(path: Path): Position;
}
