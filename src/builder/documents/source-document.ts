import type { Position } from "./findings.ts";

/** Where in a document: names of members and indexes of items, from the top. */
export type Path = readonly (string | number)[];

/** A document that was read, and where in its text everything stands, as near as the path exists. */
export interface SourceDocument {
  file: string;
  value: unknown;
  positionOf(path: Path): Position;
  /** Of a member's name rather than its value. */
  positionOfKey(path: Path): Position;
}
