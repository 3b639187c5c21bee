import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";

const ownerOnly = 0o600;
const readableByOthers = 0o077;

/** Makes the file for its owner alone, or makes it so if it is there already. */
export function makeOwnerOnly(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, "a", ownerOnly));
  restrictToOwner(path);
}

/** Takes a file that is there away from everybody but its owner. */
export function restrictToOwner(path: string): void {
  if (existsSync(path) && (statSync(path).mode & 0o777) !== ownerOnly) chmodSync(path, ownerOnly);
}

/** Whether anybody but its owner may enter, list or change the directory. */
export function isOpenToOthers(directory: string): boolean {
  return (statSync(directory).mode & readableByOthers) !== 0;
}
