import { statfsSync } from "node:fs";
import { dirname } from "node:path";

/** Explains a file error: the file, the problem and how to fix it. Returns other errors unchanged. */
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

/** The smallest memory map of a SQLite database in WAL mode. */
const minBytes = 64 * 1024;

/** SQLite does not report that a file could not be created or mapped because the disk has no space or inodes left. */
function hasNoSpace(file: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(file));
    // Some file systems create inodes on demand and report a total of zero.
    return bavail * bsize < minBytes || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}
