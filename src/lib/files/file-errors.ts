import { statfsSync } from "node:fs";
import { dirname } from "node:path";

/** Explains a file error: which file, what is wrong, what to do. Returns other errors unchanged. */
export function fileError(file: string, error: unknown, remedy = ""): unknown {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string };
  const explained = typeof code === "string" ? explanation(file, code, remedy) : undefined;
  return explained === undefined ? error : new Error(`${explained} (${code}: ${message})`, { cause: error });
}

function explanation(file: string, code: string, remedy: string): string | undefined {
  const isFull = isDiskFull(code) || (/^SQLITE_(CANTOPEN|IOERR)/.test(code) && hasNoSpace(file));
  if (isFull) return `The disk that holds ${file} is full. Free some space and start again.`;
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code))
    return `${file} is not a SQLite database, or it is damaged. ${remedy}`.trim();
  if (/^(SQLITE_(CANTOPEN|READONLY|PERM|AUTH)|EACCES$|EPERM$|EROFS$|EISDIR$)/.test(code))
    return `${file} cannot be opened for writing. Check that the server's user owns it and may write to its folder.`;
  if (/^(SQLITE_(IOERR|NOLFS|PROTOCOL)|EIO$|EDQUOT$|EMFILE$|ENFILE$)/.test(code))
    return `${file} cannot be read or written. Check the disk and its limits.`;
  return undefined;
}

export function isDiskFull(code: unknown): boolean {
  return code === "SQLITE_FULL" || code === "ENOSPC";
}

/** What SQLite maps of a database in WAL mode, at least. */
const leastBytes = 64 * 1024;

/** SQLite does not say that a file could not be made or mapped for want of space or inodes. */
function hasNoSpace(file: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(file));
    // Some file systems make inodes as they need them, and count none.
    return bavail * bsize < leastBytes || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}
