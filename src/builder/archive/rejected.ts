export { ArchiveRejected } from "../../core/artifact/archive-rejected.ts";

/** Quotes a path for a message. */
export function quoted(path: string): string {
  return JSON.stringify(path.length > 100 ? `${path.slice(0, 100)}…` : path);
}
