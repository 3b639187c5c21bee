import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";

const ownerOnly = 0o600;
const anyAccessOfOthers = 0o077;

/** Creates the file readable only by its owner, or changes the mode of an existing file. */
export function makeOwnerOnly(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, "a", ownerOnly));
  restrictToOwner(path);
}

/** Removes the access of all other users to an existing file. */
export function restrictToOwner(path: string): void {
  if (existsSync(path) && (statSync(path).mode & 0o777) !== ownerOnly) chmodSync(path, ownerOnly);
}

/** Whether users other than the owner may enter, list or change the directory. */
export function isOpenToOthers(directory: string): boolean {
  return (statSync(directory).mode & anyAccessOfOthers) !== 0;
}
